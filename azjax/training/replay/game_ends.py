"""Where the games in replay end."""

import chex
import jax
import jax.numpy as jnp

from azjax.training.state import Replay


def game_ends(replay: Replay) -> chex.Array:
    """Returns [C, B] int32: the row of the move that ends the game of each move, C without one."""
    num_rows, oldest = replay.num_rows, replay.next_row
    places = jnp.arange(num_rows, dtype=jnp.int32)[:, None]  # in the order of writing
    discount = jnp.roll(replay.trajectory.discount, -oldest, axis=0)
    ends = jnp.where(discount == 0, places, num_rows)
    ends = jax.lax.cummin(ends, axis=0, reverse=True)
    ends = jnp.where(ends < num_rows, (ends + oldest) % num_rows, num_rows)
    return jnp.roll(ends, oldest, axis=0)
