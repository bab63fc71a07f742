"""What the value learns: how the game went on from each position in replay."""

import chex
import jax
import jax.numpy as jnp

from azjax.training.state import Replay


def value_targets(replay: Replay, search_value_weight: chex.Numeric) -> chex.Array:
    """Returns [C, B] float32: what each position is worth to its mover, as the game went on.

    They are computed anew over the whole ring in every iteration, so that positions learn the true
    outcome as soon as their game has ended, in a later iteration too.

    Args:
      replay: [C, B, ...]; rows not yet written have discount 0.
      search_value_weight: w, [], as in `lambda_returns`.
    """
    trajectory, num_rows = replay.trajectory, replay.trajectory.reward.shape[0]
    oldest = replay.num_written % num_rows
    in_order = jax.tree.map(
        lambda x: jnp.roll(x, -oldest, axis=0),
        (trajectory.reward, trajectory.discount, trajectory.search_value),
    )
    return jnp.roll(lambda_returns(*in_order, search_value_weight), oldest, axis=0)


def lambda_returns(
    reward: chex.Array, discount: chex.Array, search_value: chex.Array, weight: chex.Numeric
) -> chex.Array:
    """Returns [T, B]: z_t = w * v_t + (1 - w) * (r_t + d_t * z_{t+1}), v the search's values.

    The lambda-return of TD(lambda) with lambda = 1 - w (Sutton 1988, "Learning to Predict by the
    Methods of Temporal Differences"): with w = 0 a game's outcome, with w = 1 the position's own
    search value. Of a game still in flight, what comes after the last row is the search's value.

    Args:
      reward: r, [T, B], of the move, from the mover's view; oldest first.
      discount: d, [T, B], 0 where the move ended the game, else -1 or +1.
      search_value: v, [T, B], from the mover's view.
      weight: w, [].
    """

    def backwards(z_next, step):
        reward, discount, value = step
        z = weight * value + (1 - weight) * (reward + discount * z_next)
        return z, z

    # Chosen so that r + d * z_next is the search's value where the last move ended no game.
    after_last = discount[-1] * search_value[-1]
    _, z = jax.lax.scan(backwards, after_last, (reward, discount, search_value), reverse=True)
    return z
