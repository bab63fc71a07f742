"""Value targets: lambda-returns over the moves in replay, within what the search has proven."""

import chex
import jax
import jax.numpy as jnp

from azjax.search import Bounds, unpack_bounds
from azjax.training.state import Replay


def value_targets(replay: Replay, search_value_weight: chex.Numeric) -> chex.Array:
    """Returns [C, B] float32: the value target of each position, from the view of its mover.

    They are computed anew over the whole ring in every iteration, so positions get the outcome of
    their game as soon as it has ended, in a later iteration too.

    Args:
      replay: [C, B, ...]; rows not yet written have discount 0.
      search_value_weight: w, [], as in `lambda_returns`.
    """
    trajectory, num_rows = replay.trajectory, replay.trajectory.reward.shape[0]
    oldest = replay.num_written % num_rows
    bounds = None if trajectory.bounds is None else unpack_bounds(trajectory.bounds)
    steps = trajectory.reward, trajectory.discount, trajectory.search_value, bounds
    reward, discount, search_value, bounds = jax.tree.map(
        lambda x: jnp.roll(x, -oldest, axis=0), steps
    )
    returns = lambda_returns(reward, discount, search_value, search_value_weight, bounds)
    return jnp.roll(returns, oldest, axis=0)


def lambda_returns(
    reward: chex.Array,
    discount: chex.Array,
    search_value: chex.Array,
    weight: chex.Numeric,
    bounds: Bounds | None = None,
) -> chex.Array:
    """Returns [T, B]: z_t = w * v_t + (1 - w) * (r_t + d_t * z_{t+1}), v the search's values.

    These are lambda-returns with lambda = 1 - w (Sutton 1988, "Learning to Predict by the Methods
    of Temporal Differences"): with w = 0 the game's outcome, with w = 1 the position's own search
    value. A game that goes on after the last row is bootstrapped from the search value there.

    Each return lies within the proven bounds on the position's result. So where moves are sampled,
    a proven win that was not played on well is still a win, there and for the moves before.

    Args:
      reward: r, [T, B], of the move, from the mover's view; oldest first.
      discount: d, [T, B], 0 where the move ended the game, else -1 or +1.
      search_value: v, [T, B], from the mover's view.
      weight: w, [].
      bounds: [T, B] on the result, from the mover's view.
    """

    def backward(z_next: chex.Array, step: tuple[chex.Array, ...]) -> tuple[chex.Array, chex.Array]:
        reward, discount, value, bounds = step
        z = weight * value + (1 - weight) * (reward + discount * z_next)
        z = z if bounds is None else bounds.clip(z)
        return z, z

    # So that r + d * z_next is the search value where the last move did not end the game.
    bootstrap = discount[-1] * search_value[-1]
    _, z = jax.lax.scan(backward, bootstrap, (reward, discount, search_value, bounds), reverse=True)
    return z
