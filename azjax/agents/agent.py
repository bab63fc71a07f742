"""An agent: its game, its network and the average of parameters that plays, by name."""

import contextlib
import dataclasses
import pathlib
from typing import NamedTuple

from azjax.agents.agent_file import (
    AgentFile,
    find_agent_file,
    read_agent_file,
    shipped_agents,
)
from azjax.config.run_config import RunConfig
from azjax.evaluation import Player, network_player, search_player
from azjax.games import Game
from azjax.networks import Network, Variables
from azjax.runs.network_history import NetworkHistory
from azjax.runs.restore import kept_networks, past_iterations, restore
from azjax.runs.run_directory import RunDirectory, is_run, open_run
from azjax.search import SearchConfig, SearchHyperparameters
from azjax.support.errors import InputError, input_errors
from azjax.support.suggestions import did_you_mean
from azjax.training import make_game_and_network

_Source = AgentFile | tuple[RunDirectory, int | str]  # a file, or a run and which of its networks


class Agent(NamedTuple):
    """What plays."""

    game: Game
    network: Network
    variables: Variables
    search: SearchConfig
    hyperparameters: SearchHyperparameters  # without noise
    iteration: int
    warnings: list[str]

    def player(self, rollout_weight: float = 0.0) -> Player:
        """Returns the agent with its search; rollouts count by their weight in a leaf's value."""
        return search_player(
            self.game,
            self.network,
            self.variables,
            self.search,
            self.hyperparameters,
            rollout_weight,
        )

    def policy(self) -> Player:
        """Returns the agent as a player without search."""
        return network_player(self.game, self.network, self.variables)


def load_agent(name: str, num_simulations: int, algorithm: str | None = None) -> Agent:
    """Loads an agent: `FOLDER` at its newest, `FOLDER@best`, `FOLDER@ITERATION`, or a file.

    Args:
      name: The agent's name.
      num_simulations: Of its search.
      algorithm: Of its search; the run's own if not given.

    Raises:
      InputError: There is no such agent or checkpoint, or a setting is out of range.
    """
    source = _find(name)
    config = _config_of(source)
    with input_errors():
        game, network = make_game_and_network(config.train)
        search = dataclasses.replace(
            config.train.search,
            num_simulations=num_simulations,
            algorithm=config.train.search.algorithm if algorithm is None else algorithm,
        )
    variables, iteration, warnings = _read_network(source, network)
    return Agent(
        game=game,
        network=network,
        variables=variables,
        search=search,
        hyperparameters=config.hparams.search.without_noise(),
        iteration=iteration,
        warnings=warnings,
    )


def is_agent(name: str) -> bool:
    """Tells whether a name means an agent: a run, whatever it holds, or a file."""
    return find_agent_file(name) is not None or is_run(split_name(name)[0])


def agent_config(name: str) -> RunConfig:
    """Returns the configuration that an agent was trained by.

    Raises:
      InputError: There is no such agent.
    """
    return _config_of(_find(name))


def _config_of(source: _Source) -> RunConfig:
    return source.config if isinstance(source, AgentFile) else source[0].config


def _find(name: str) -> _Source:
    """Returns the file that a name means, or the run and which of its networks."""
    file = find_agent_file(name)
    if file and not is_run(pathlib.Path(name)):
        return read_agent_file(file)
    folder, which = split_name(name)
    if not folder.exists() and shipped_agents():
        there = f"it is neither folder nor file, and with azjax come {', '.join(shipped_agents())}"
        hint = did_you_mean(name, shipped_agents(), otherwise=there)
        raise InputError(f"{name} holds no run: {hint}")
    return open_run(folder), which


def _read_network(source: _Source, network: Network) -> tuple[Variables, int, list[str]]:
    """Returns an agent's network, its iteration, and what was passed over to find it."""
    if isinstance(source, AgentFile):
        return source.variables, source.iteration, []
    run, which = source
    if isinstance(which, int):
        if which in kept_networks(run):  # much smaller than a checkpoint
            with contextlib.closing(NetworkHistory(run.history)) as history:
                return history.restore(network, which), which, []
        past = past_iterations(run)
        if which not in past:
            raise InputError(f"{run.path} holds no network of iteration {which}; there are {past}")
    restored = restore(run, which)
    return restored.state.acting, restored.iteration, restored.warnings


def split_name(name: str) -> tuple[pathlib.Path, int | str]:
    """Returns the folder and the checkpoint that an agent's name means.

    Raises:
      InputError: What follows the @ means none.
    """
    folder, at, which = name.rpartition("@")
    if not at or is_run(pathlib.Path(name)):
        return pathlib.Path(name), "newest"
    if which in ("best", "newest"):
        return pathlib.Path(folder), which
    if which.isdecimal():
        return pathlib.Path(folder), int(which)
    raise InputError(f"{name!r}: after @ comes best, newest or the iteration of a checkpoint")
