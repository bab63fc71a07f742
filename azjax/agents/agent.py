"""Agents by name: a game, a network with its EMA variables, and a search."""

import contextlib
import dataclasses
import pathlib
from typing import Any

from azjax.agents.agent_file import AgentFile, find_agent_file, read_agent_file, shipped_agents
from azjax.agents.near_agents import suggest_agent
from azjax.config.run_config import RunConfig
from azjax.evaluation import (
    Player,
    PositionSearch,
    SearchAgent,
    network_player,
    search_player,
    search_position,
)
from azjax.games import Game, State
from azjax.networks import Network, Variables
from azjax.runs.storage.network_history import NetworkHistory
from azjax.runs.storage.restore import kept_networks, past_iterations, restore
from azjax.runs.storage.run_description import commits_of, initial_agent_of, read_description
from azjax.runs.storage.run_directory import InitialAgent, RunDirectory
from azjax.runs.storage.run_folders import is_run, open_run
from azjax.search import Search
from azjax.support.component import carry_over
from azjax.support.component_registry import get_component
from azjax.support.errors import InputError, input_errors
from azjax.support.front_door import front_door
from azjax.support.machine.jax_settings import own_settings
from azjax.training import make_game_and_network

_Source = AgentFile | tuple[RunDirectory, int | str]  # a file, or a run and its checkpoint


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Agent:
    """A trained network, and the search that it plays with."""

    name: str
    search_agent: SearchAgent  # its search is without noise
    variables: Variables
    iteration: int
    warnings: list[str]  # of damaged checkpoints
    was_chosen: bool = False  # by a half of the solved positions: the other half reports on it
    commit: str = "unknown"  # of azjax, in short; several if sessions of its run differ
    init_from: InitialAgent | None = None  # whose network its run began from

    def __repr__(self) -> str:
        """Returns the agent in one line."""
        search = self.search_config
        return (
            f"Agent({self.name}: {self.game.name}, iteration {self.iteration}, "
            f"{search.name} with {search.num_simulations} simulations)"
        )

    @property
    def game(self) -> Game:
        """The game that it plays."""
        return self.search_agent.game

    @property
    def network(self) -> Network:
        """Its network."""
        return self.search_agent.network

    @property
    def search_config(self) -> Search:
        """Its search, without noise."""
        return self.search_agent.search_config

    def best_action(self, state: State) -> int:
        """Returns the action that the search plays in an unfinished position."""
        return self.search(state).action

    @own_settings()
    def search(self, state: State) -> PositionSearch:
        """Searches one position: action, policy, value, visits, Q-values, principal variation.

        Args:
          state: An unfinished position, such as `agent.game.parse_state(text)`.

        Raises:
          TypeError: The state is none of its game.
          ValueError: The game is over in this position, or no move is legal.
        """
        return search_position(self.player(), state)

    @front_door
    def player(self, rollout_weight: float = 0.0) -> Player:
        """Returns the agent as a player with search.

        Args:
          rollout_weight: The weight of a rollout in a leaf's value; the rest is the network's.
        """
        return search_player(self.search_agent, self.variables, rollout_weight)

    def policy(self) -> Player:
        """Returns the agent as a player without search."""
        return network_player(self.game, self.network, self.variables)


@front_door
def load_agent(
    name: str | pathlib.Path, simulations: int | None = None, search: str | None = None
) -> Agent:
    """Loads an agent.

    For example, `load_agent("connect_four").best_action(state)` is the move of the agent that comes
    with azjax.

    Args:
      name: `FOLDER` for a run's newest checkpoint, `FOLDER@best`, `FOLDER@ITERATION`, the path of
        an agent file, or the name of a shipped agent.
      simulations: The simulations of its search; those of its run's evaluations if not given.
      search: The algorithm of its search, such as `puct`; the run's own if not given.

    Raises:
      InputError: There is no such agent or checkpoint, or a setting is out of range.
    """
    name = str(name)
    source = _find(name)
    config = _config_of(source)
    with input_errors(name):
        game, network = make_game_and_network(config.train)
        own = config.train.search
        chosen = type(own) if search is None else get_component("search", search)
        if simulations is None:  # the agent plays as it was judged
            simulations = config.evaluation_simulations
        search_config = carry_over(own, chosen, num_simulations=simulations).without_noise()
    variables, iteration, warnings = _read_network(source, network)
    search_agent = SearchAgent(game, network, search_config)
    description = _description(source)
    return Agent(
        name,
        search_agent,
        variables,
        iteration,
        warnings,
        _was_chosen(source),
        commits_of(description),
        initial_agent_of(description),
    )


def is_agent(name: str) -> bool:
    """Tells whether a name is that of a run, even of a damaged one, or of an agent file."""
    return find_agent_file(name) is not None or is_run(split_name(name)[0])


def agent_config(name: str) -> RunConfig:
    """Returns the configuration that an agent was trained with.

    Raises:
      InputError: There is no such agent.
    """
    return _config_of(_find(name))


def _was_chosen(source: _Source) -> bool:
    """Tells whether an agent, or the one that its run began from, was chosen by its accuracy."""
    if isinstance(source, AgentFile):
        return source.about.get("was_chosen", False)  # the first files held networks not chosen
    run, which = source
    has_begun_chosen = run.init_from is not None and run.init_from.was_chosen
    return run.is_trial or which == "best" or has_begun_chosen


def _description(source: _Source) -> dict[str, Any]:
    """Returns the content of `run.json`."""
    return source.about if isinstance(source, AgentFile) else read_description(source[0].path)


def _config_of(source: _Source) -> RunConfig:
    return source.config if isinstance(source, AgentFile) else source[0].config


def _find(name: str) -> _Source:
    """Returns the agent file of that name, or the run and its checkpoint."""
    file = find_agent_file(name)
    if file and not is_run(pathlib.Path(name)):
        return read_agent_file(file)
    folder, which = split_name(name)
    if not folder.exists() and shipped_agents():
        there = f"it is neither folder nor file, and with azjax come {', '.join(shipped_agents())}"
        hint = suggest_agent(name, (), otherwise=there)
        raise InputError(f"{name} holds no run: {hint}")
    return open_run(folder), which


def _read_network(source: _Source, network: Network) -> tuple[Variables, int, list[str]]:
    """Returns an agent's variables, their iteration, and warnings of damaged checkpoints."""
    if isinstance(source, AgentFile):
        return source.variables, source.iteration, []
    run, which = source
    if isinstance(which, int):
        if which in kept_networks(run):  # faster to read than a checkpoint
            with contextlib.closing(NetworkHistory(run.history)) as history:
                return history.restore(network, which), which, []
        past = past_iterations(run)
        if which not in past:
            raise InputError(f"{run.path} holds no network of iteration {which}; there are {past}")
    restored = restore(run, which)
    return restored.state.actor, restored.iteration, restored.warnings


def split_name(name: str) -> tuple[pathlib.Path, int | str]:
    """Splits an agent's name into its folder and its checkpoint: an iteration, newest or best.

    Raises:
      InputError: The part after the @ is no checkpoint.
    """
    folder, at, which = name.rpartition("@")
    if not at or is_run(pathlib.Path(name)):
        return pathlib.Path(name), "newest"
    if which in ("best", "newest"):
        return pathlib.Path(folder), which
    if which.isdecimal():
        return pathlib.Path(folder), int(which)
    raise InputError(f"{name!r}: after @ comes best, newest or the iteration of a checkpoint")
