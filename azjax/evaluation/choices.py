"""Asks players for their moves: compiled once for each kind of player, laid over devices."""

import functools
from collections.abc import Callable
from typing import Any

import chex
import jax
import numpy as np

from azjax.evaluation.players import Act, Player
from azjax.support.devices import make_mesh, replicate, spread_over_devices


def choose_actions(
    player: Player, states: Any, keys: chex.PRNGKey, num_devices: int = 1
) -> np.ndarray:
    """Returns [P] the player's moves in P positions, one key for each."""
    mesh = make_mesh(num_devices)
    size = len(states.terminated)
    indices = np.arange(size + -size % num_devices) % size  # as many on every device
    padded = jax.tree.map(lambda x: np.asarray(x)[indices], states)
    actions = _spread(player.act, num_devices)(
        replicate(player.parameters, mesh), keys[indices], padded
    )
    return np.asarray(actions)[:size]


@functools.cache
def _spread(act: Act, num_devices: int) -> Callable[[Any, chex.PRNGKey, Any], chex.Array]:
    return spread_over_devices(act, make_mesh(num_devices))
