"""What the value learns: how the game went on from each position in replay."""

import chex
import jax
import jax.numpy as jnp

from azjax.training.state import Replay


def value_targets(replay: Replay, search_value_weight: chex.Numeric) -> chex.Array:
    """Returns [C, B] float32: (1 - w) * outcome + w * search value, from the mover's view.

    The outcome of a game that has ended is its result; of one still in flight, the value that the
    search gave its newest position. It is computed anew over the whole ring in every iteration, so
    that positions learn the true outcome as soon as their game has ended, in a later iteration too.

    Args:
      replay: [C, B, ...]; rows not yet written have discount 0.
      search_value_weight: w, [].
    """
    trajectory, num_rows = replay.trajectory, replay.trajectory.reward.shape[0]
    oldest = replay.num_written % num_rows
    in_order = jax.tree.map(
        lambda x: jnp.roll(x, -oldest, axis=0),
        (trajectory.reward, trajectory.discount, trajectory.search_value),
    )
    outcome = jnp.roll(outcomes(*in_order), oldest, axis=0)
    return (1 - search_value_weight) * outcome + search_value_weight * trajectory.search_value


def outcomes(reward: chex.Array, discount: chex.Array, search_value: chex.Array) -> chex.Array:
    """Returns [T, B]: z_t = r_t + d_t * z_{t+1}, and z of the last row the search's value there.

    Args:
      reward: [T, B], of the move, from the mover's view; oldest first.
      discount: [T, B], 0 where the move ended the game, else -1 or +1.
      search_value: [T, B], from the mover's view; only the last row counts.
    """

    def backwards(z_next, step):
        reward, discount = step
        z = reward + discount * z_next
        return z, z

    # Chosen so that r + d * z_next is the search's value where the last move ended no game.
    after_last = discount[-1] * search_value[-1]
    _, z = jax.lax.scan(backwards, after_last, (reward, discount), reverse=True)
    return z
