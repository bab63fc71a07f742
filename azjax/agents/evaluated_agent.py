"""Agents of runs with the search that evaluates them, so that runs are compared by one search."""

import dataclasses

from azjax.agents.agent import Agent, agent_config, load_agent


def load_evaluated_agent(name: str) -> Agent:
    """Loads an agent with the search of its run's evaluations.

    Raises:
      InputError: There is no such agent or checkpoint.
    """
    config, agent = agent_config(name), load_agent(name)
    search = config.evaluation_search.without_noise()
    search_agent = dataclasses.replace(agent.search_agent, search_config=search)
    return dataclasses.replace(agent, search_agent=search_agent)
