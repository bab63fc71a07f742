"""The moves of a player in a batch of positions, sharded over devices."""

import functools
from collections.abc import Callable
from typing import Any

import chex
import jax
import numpy as np

from azjax.evaluation.players.player import Act, Player
from azjax.evaluation.truth.solved_positions import SolvedPositions
from azjax.games import State
from azjax.support.machine.devices import make_mesh, replicate, shard_over_devices
from azjax.support.program_cache import cache_programs


def choose_actions(
    player: Player, states: State, keys: chex.PRNGKey, num_devices: int = 1
) -> np.ndarray:
    """Returns [P], the player's moves in P positions.

    One program is compiled for all players of the same `act`.

    Args:
      player: The player.
      states: [P, ...] unfinished states.
      keys: [P], a key for each position.
      num_devices: The positions are sharded over so many devices.
    """
    parameters = replicate(player.parameters, make_mesh(num_devices))
    indices = padded_indices(len(states.terminated), num_devices)
    padded = jax.tree.map(lambda x: np.asarray(x)[indices], states)
    actions = _shard(player.act, num_devices)(parameters, keys[indices], padded)
    return np.asarray(actions)[: len(states.terminated)]


def choose_in(player: Player, positions: SolvedPositions, num_devices: int = 1) -> np.ndarray:
    """Returns [P], the player's moves in solved positions, always with the same keys."""
    keys = jax.random.split(jax.random.key(0), len(positions.is_best))
    return choose_actions(player, positions.states, keys, num_devices)


def padded_indices(size: int, num_devices: int) -> np.ndarray:
    """Returns the indices of a batch, padded so that every device has as many."""
    return np.arange(size + -size % num_devices) % size


@functools.partial(cache_programs, most=32)
def _shard(act: Act, num_devices: int) -> Callable[[Any, chex.PRNGKey, State], chex.Array]:
    return shard_over_devices(act, make_mesh(num_devices))
