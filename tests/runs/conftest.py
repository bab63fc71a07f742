"""Fixtures of the tests of runs: a tiny configuration, a run and a state, untrained."""

import jax
import jax.numpy as jnp
import pytest

from azjax.config.limits import Limits
from azjax.config.run_config import RunConfig
from azjax.networks import MLPConfig
from azjax.runs.storage.run_directory import RunDirectory
from azjax.runs.storage.run_folders import create_run
from azjax.search import Gumbel
from azjax.training import TrainConfig, init_train_state


@pytest.fixture(scope="session")
def tiny_config():
    return TrainConfig(
        game="tic_tac_toe",
        network=MLPConfig(channels=16, blocks=1),
        search=Gumbel(num_simulations=4),
        num_games=8,
        num_moves=4,
        replay_moves=8,
        num_updates=1,
        batch_size=8,
    )


@pytest.fixture
def run(tmp_path, tiny_config):
    """Returns a run of tic-tac-toe that has not begun."""
    config, limits = RunConfig(tiny_config), Limits(iterations=9)
    return create_run(RunDirectory(tmp_path / "run", "tic_tac_toe", config, 0, 1, limits))


@pytest.fixture(scope="session")
def state_at(tiny_config):
    """Returns `state_at(iteration)`: the same state except for its counter."""
    state = jax.jit(init_train_state)(tiny_config, jax.random.key(0))
    return lambda iteration: state._replace(iteration=jnp.int32(iteration))
