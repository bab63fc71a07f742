"""The agent that a run has made: its game, network and newest average of parameters."""

import contextlib
import dataclasses
import pathlib
from typing import NamedTuple

import jax

from azjax.evaluation import Player, network_player, search_player
from azjax.games import Game
from azjax.networks import Network, Variables
from azjax.runs.checkpoints import Checkpoints, Restored
from azjax.runs.errors import InputError, input_errors
from azjax.runs.folder import RunFolder, is_run, open_run
from azjax.runs.history import History
from azjax.search import SearchConfig, SearchHyperparameters
from azjax.training import TrainState, init_train_state, make_game_and_network


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
    """Loads an agent from `FOLDER`, its newest checkpoint, `FOLDER@best` or `FOLDER@ITERATION`.

    Args:
      name: The agent's name.
      num_simulations: Of its search.
      algorithm: Of its search; the run's own if not given.

    Raises:
      InputError: There is no such run or checkpoint, or a setting is out of range.
    """
    folder, which = split_name(name)
    run = open_run(folder)
    trained = run.config.train
    with input_errors():
        game, network = make_game_and_network(trained)
        search = dataclasses.replace(
            trained.search,
            num_simulations=num_simulations,
            algorithm=trained.search.algorithm if algorithm is None else algorithm,
        )
    variables, iteration, warnings = _read_network(run, network, which)
    return Agent(
        game=game,
        network=network,
        variables=variables,
        search=search,
        hyperparameters=run.config.hparams.search.without_noise(),
        iteration=iteration,
        warnings=warnings,
    )


def _read_network(
    run: RunFolder, network: Network, which: int | str
) -> tuple[Variables, int, list[str]]:
    """Returns a run's network, its iteration, and what was passed over to find it."""
    if isinstance(which, int):
        if which in _kept_networks(run):  # much smaller than a checkpoint
            with contextlib.closing(History(run.history)) as history:
                return history.restore(network, which), which, []
        past = past_iterations(run)
        if which not in past:
            raise InputError(f"{run.path} holds no network of iteration {which}; there are {past}")
    restored = restore(run, which)
    return restored.state.acting, restored.iteration, restored.warnings


def past_iterations(run: RunFolder) -> list[int]:
    """Returns the iterations whose networks a run has kept, in order."""
    return sorted({*_kept_networks(run), *_checkpointed(run)})


def _kept_networks(run: RunFolder) -> list[int]:
    if not run.history.is_dir():
        return []
    with contextlib.closing(History(run.history)) as history:
        return history.iterations()


def _checkpointed(run: RunFolder) -> list[int]:
    if not run.checkpoints.is_dir():
        return []
    with contextlib.closing(Checkpoints(run.checkpoints, writes=False)) as checkpoints:
        return checkpoints.iterations()


def restore(run: RunFolder, which: int | str = "newest") -> Restored:
    """Reads a checkpoint of a run.

    Raises:
      InputError: There is none that fits and is whole.
    """
    if not run.checkpoints.is_dir():
        raise InputError(f"{run.path} holds no checkpoint yet")
    with input_errors():
        shapes = train_state_shapes(run)
    checkpoints = Checkpoints(run.checkpoints, writes=False)
    try:
        return checkpoints.restore(shapes, which)
    finally:
        checkpoints.close()


def train_state_shapes(run: RunFolder) -> TrainState:
    """Returns the shapes of a run's state."""
    key = jax.random.key(run.seed)
    return jax.eval_shape(lambda: init_train_state(run.config.train, run.config.hparams, key))


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
