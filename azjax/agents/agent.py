"""Agents by name: a game, a network with its EMA variables, and a search."""

import contextlib
import dataclasses
import difflib
import pathlib
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from azjax.agents.agent_file import find_agent_file, read_agent_file, shipped_agents
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
from azjax.runs.storage.checkpoints import past_iterations, restore, saved_iterations
from azjax.runs.storage.network_history import NetworkHistory
from azjax.runs.storage.run_description import commits_of, initial_agent_of, read_description
from azjax.runs.storage.run_directory import InitialAgent, RunDirectory
from azjax.runs.storage.run_folders import is_run, open_run
from azjax.search import Search
from azjax.support.component import carry_over, get_component
from azjax.support.errors import InputError, input_errors
from azjax.support.front_door import front_door
from azjax.support.machine.jax_settings import own_settings
from azjax.support.suggestions import did_you_mean
from azjax.training import make_game_and_network

USUAL_FOLDER = pathlib.Path("runs")  # of `azjax train`
_LEAST_SIMILARITY = 0.75  # of the last parts of two names


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
        return self.search_agent.game

    @property
    def network(self) -> Network:
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


class _Source(NamedTuple):
    """Where an agent comes from: a run and its checkpoint, or a file."""

    config: RunConfig
    about: dict[str, Any]  # the content of `run.json`
    was_chosen: bool
    read: Callable[[Network], tuple[Variables, int, list[str]]]  # with iteration and warnings


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
      simulations: The simulations of its search; as many as in its run's evaluations if not given.
      search: The algorithm of its search, such as `puct`; the run's own if not given.

    Raises:
      InputError: There is no such agent or checkpoint, or a setting is out of range.
    """
    name = str(name)
    source = _find(name)
    with input_errors(name):
        own = source.config.train.search
        chosen = type(own) if search is None else get_component("search", search)
        if simulations is None:  # the agent plays as it was judged
            simulations = source.config.evaluation_simulations
        search_config = carry_over(own, chosen, num_simulations=simulations).without_noise()
    return _load(name, source, search_config)


def load_evaluated_agent(name: str) -> Agent:
    """Loads an agent with the search of its run's evaluations, by which runs are compared.

    Raises:
      InputError: There is no such agent or checkpoint.
    """
    source = _find(name)
    return _load(name, source, source.config.evaluation_search.without_noise())


def is_agent(name: str) -> bool:
    """Tells whether a name is a run's, even a damaged one's, or an agent file's."""
    return find_agent_file(name) is not None or is_run(split_name(name)[0])


def agent_config(name: str) -> RunConfig:
    """Returns the configuration that an agent was trained with.

    Raises:
      InputError: There is no such agent.
    """
    return _find(name).config


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


def suggest_agent(name: str, others: Iterable[str], otherwise: str) -> str:
    """Returns a question with the nearest of the shipped agents, of the runs, and of other names.

    The last parts of the names decide whether two are near: many runs have `runs` in common.

    Args:
      name: The name that is none of an agent, maybe with a checkpoint and options.
      others: Names that are possible too.
      otherwise: Returned if none is near.
    """
    bare = name.partition("@")[0].partition(":")[0]
    folders = dict.fromkeys([pathlib.Path(bare).parent, USUAL_FOLDER])
    runs = [str(path) for folder in folders for path in sorted(folder.glob("*")) if is_run(path)]
    last = pathlib.Path(bare).name
    near = [
        other
        for other in [*others, *shipped_agents(), *runs]
        if difflib.get_close_matches(last, [pathlib.Path(other).name], cutoff=_LEAST_SIMILARITY)
    ]
    return did_you_mean(bare, near, otherwise)


def _load(name: str, source: _Source, search: Search) -> Agent:
    with input_errors(name):
        game, network = make_game_and_network(source.config.train)
    variables, iteration, warnings = source.read(network)
    return Agent(
        name,
        SearchAgent(game, network, search),
        variables,
        iteration,
        warnings,
        source.was_chosen,
        commits_of(source.about),
        initial_agent_of(source.about),
    )


def _find(name: str) -> _Source:
    """Returns the agent file of that name, or the run and its checkpoint."""
    path = find_agent_file(name)
    if path and not is_run(pathlib.Path(name)):
        config, variables, iteration, about = read_agent_file(path)
        was_chosen = about.get("was_chosen", False)  # the first files held networks not chosen
        return _Source(config, about, was_chosen, lambda _: (variables, iteration, []))
    folder, which = split_name(name)
    if not folder.exists() and shipped_agents():
        there = f"it is neither folder nor file, and with azjax come {', '.join(shipped_agents())}"
        raise InputError(f"{name} holds no run: {suggest_agent(name, (), otherwise=there)}")
    run = open_run(folder)
    has_begun_chosen = run.init_from is not None and run.init_from.was_chosen
    return _Source(
        run.config,
        read_description(run.path),
        run.is_trial or which == "best" or has_begun_chosen,
        lambda network: _read_network(run, which, network),
    )


def _read_network(
    run: RunDirectory, which: int | str, network: Network
) -> tuple[Variables, int, list[str]]:
    """Returns a run's variables, their iteration, and warnings of damaged checkpoints."""
    if isinstance(which, int):
        if which in saved_iterations(run.history):  # faster to read than a checkpoint
            with contextlib.closing(NetworkHistory(run.history)) as history:
                return history.restore(network, which), which, []
        past = past_iterations(run)
        if which not in past:
            raise InputError(f"{run.path} holds no network of iteration {which}; there are {past}")
    restored = restore(run, which)
    return restored.state.actor, restored.iteration, restored.warnings
