"""Positions as the network sees them, each transformed by a symmetry of the board."""

import chex
import jax
import jax.numpy as jnp

from azjax.games import Game, State


def transform_positions(
    game: Game, states: State, symmetry: chex.Array
) -> tuple[chex.Array, chex.Array]:
    """Returns the observations [S, H, W, C] and legal actions bool[S, A] of transformed positions.

    Args:
      game: The rules.
      states: [S, ...].
      symmetry: [S], the symmetry of each.
    """
    cells = jnp.asarray(game.symmetries.cells)[symmetry]
    actions = jnp.asarray(game.symmetries.actions)[symmetry]
    observation = jax.vmap(game.observe)(states)
    planes = observation.reshape(observation.shape[0], -1, observation.shape[-1])
    planes = jnp.take_along_axis(planes, cells[:, :, None], axis=1)
    legal = jax.vmap(game.legal_action_mask)(states)
    return planes.reshape(observation.shape), jnp.take_along_axis(legal, actions, axis=1)
