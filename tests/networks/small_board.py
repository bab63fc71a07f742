"""Networks on a small board: what the tests of their growth and revival share."""

import jax
import numpy as np

from azjax.games import make
from azjax.networks import Network, make_network
from azjax.training.learning.symmetries import init_variables

GAME = make("connect_four", rows=4, columns=5)
BOARDS = np.random.default_rng(1).normal(size=(6, *GAME.observation_shape)).astype(np.float32)

init = jax.jit(init_variables, static_argnums=(0, 1))
apply = jax.jit(Network.apply, static_argnums=0)


def network_of(configuration):
    return make_network(configuration, GAME.observation_shape, GAME.num_actions)
