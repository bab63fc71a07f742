"""Agents of runs with the search that evaluates them, so that runs are compared by one search."""

import dataclasses

from azjax.agents.agent import Agent, agent_config, load_agent


def load_evaluated_agent(name: str) -> Agent:
    """Loads an agent with the search of its run's evaluations, and with its hyperparameters.

    Raises:
      InputError: There is no such agent or checkpoint.
    """
    config = agent_config(name)
    search = config.evaluation_search
    agent = load_agent(name, search.num_simulations, search.algorithm)
    hyperparameters = config.evaluation_hyperparameters.without_noise()
    search_agent = agent.search_agent.with_search(hyperparameters)
    return dataclasses.replace(agent, search_agent=search_agent)
