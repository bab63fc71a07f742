"""Fixtures of the tests of runs: a tiny, untrained state."""

import jax
import jax.numpy as jnp
import pytest

from azjax.networks import NetworkConfig
from azjax.search import SearchConfig
from azjax.training import Hyperparameters, TrainConfig, init_train_state


@pytest.fixture(scope="session")
def tiny_config():
    return TrainConfig(
        game="tic_tac_toe",
        network=NetworkConfig("mlp", channels=16, blocks=1),
        search=SearchConfig("gumbel", num_simulations=4),
        num_games=8,
        num_moves=4,
        replay_moves=8,
        num_updates=1,
        batch_size=8,
    )


@pytest.fixture(scope="session")
def state_at(tiny_config):
    """Returns `state_at(iteration)`: the same state except for its counter."""
    init = jax.jit(init_train_state, static_argnums=0)
    state = init(tiny_config, Hyperparameters(), jax.random.key(0))
    return lambda iteration: state._replace(iteration=jnp.int32(iteration))
