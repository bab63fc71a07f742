"""The agent that a run has made: its game, network and newest average of parameters."""

import pathlib
from typing import NamedTuple

import jax

from azjax.evaluation import Player, search_player
from azjax.games import Game
from azjax.networks import Network, Variables
from azjax.runs.checkpoints import Checkpoints, Restored
from azjax.runs.errors import InputError, input_errors
from azjax.runs.folder import RunFolder, is_run, open_run
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

    def player(self) -> Player:
        """Returns the agent as a player, with its search."""
        return search_player(
            self.game, self.network, self.variables, self.search, self.hyperparameters
        )


def load_agent(name: str, num_simulations: int) -> Agent:
    """Loads an agent from `FOLDER`, its newest checkpoint, `FOLDER@best` or `FOLDER@ITERATION`.

    Raises:
      InputError: There is no such run or checkpoint, or the number is out of range.
    """
    folder, which = split_name(name)
    run = open_run(folder)
    restored = restore(run, which)
    config = run.config.train
    with input_errors():
        game, network = make_game_and_network(config)
        search = SearchConfig(
            config.search.algorithm, num_simulations, config.search.max_num_considered_actions
        )
    return Agent(
        game=game,
        network=network,
        variables=restored.state.learner.average,
        search=search,
        hyperparameters=run.config.hparams.search.without_noise(),
        iteration=restored.iteration,
        warnings=restored.warnings,
    )


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
