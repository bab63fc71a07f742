"""Targets: policies, and lambda-returns over replay, within what the search has proven."""

from typing import Any, NamedTuple

import chex
import jax
import jax.numpy as jnp

from azjax.search import Bounds, unpack_bounds
from azjax.training.hooks import TrainContext
from azjax.training.state import Replay, Trajectory


class Targets(NamedTuple):
    """Value targets of positions, and what parts prepare for theirs."""

    value: chex.Array  # [...] the expected result, from the view of the player to move
    of_parts: dict[str, Any]  # [...] by name
    draw: chex.Array | None = None  # [...] the probability of a draw; None for a scalar value head


def result_probabilities(value: chex.Array, draw: chex.Array) -> chex.Array:
    """Returns [..., 3]: the probabilities of win, draw and loss, for the fields of `Targets`."""
    decided = 1 - draw
    return jnp.stack([(decided + value) / 2, draw, (decided - value) / 2], axis=-1)


def compute_targets(context: TrainContext, replay: Replay, td_lambda: chex.Numeric) -> Targets:
    """Returns [C, B]: the targets of each position; `td_lambda` is 1 - w of `lambda_returns`.

    They are computed anew over the whole ring in every iteration, so positions get the outcome of
    their game as soon as it has ended, in a later iteration too.
    """
    moves, oldest = replay.trajectory, replay.next_row
    packed = moves.records.get("bounds")
    bounds = None if packed is None else unpack_bounds(packed)
    weights = weight = 1 - td_lambda
    for part in context.parts("bootstrap_weights"):
        weights = part.bootstrap_weights(context, moves, weights)
    weights = jnp.broadcast_to(weights, moves.reward.shape)
    steps = moves.reward, moves.discount, moves.search_value, weights, bounds
    reward, discount, search_value, weights, bounds = jax.tree.map(
        lambda x: jnp.roll(x, -oldest, axis=0), steps
    )
    returns = lambda_returns(reward, discount, search_value, weights, bounds)
    prepared = {part.name: part.prepare_targets(context, replay) for part in context.parts("loss")}
    targets = Targets(jnp.roll(returns, oldest, axis=0), of_parts=prepared)
    if context.network.config.value_head == "wdl":
        draw = draw_probabilities(reward, discount, weight, bounds)
        draw = jnp.minimum(draw, 1 - jnp.abs(returns))  # bounds may have moved the returns
        targets = targets._replace(draw=jnp.roll(draw, oldest, axis=0))
    return targets


def policy_targets(
    context: TrainContext, moves: Trajectory, rows: chex.Array, games: chex.Array
) -> chex.Array:
    """Returns [..., A]: the policy targets at rows and games [...], as the parts map them."""
    policy = moves.action_weights[rows, games]
    for part in context.parts("policy_target"):
        policy = part.policy_target(context, moves, rows, games, policy)
    return policy


def game_ends(replay: Replay) -> chex.Array:
    """Returns [C, B] int32: the row of the move that ends the game of each move, C without one."""
    num_rows, oldest = replay.num_rows, replay.next_row
    places = jnp.arange(num_rows, dtype=jnp.int32)[:, None]  # in the order of writing
    discount = jnp.roll(replay.trajectory.discount, -oldest, axis=0)
    ends = jnp.where(discount == 0, places, num_rows)
    ends = jax.lax.cummin(ends, axis=0, reverse=True)
    ends = jnp.where(ends < num_rows, (ends + oldest) % num_rows, num_rows)
    return jnp.roll(ends, oldest, axis=0)


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
      weight: w, [] or [T, B].
      bounds: [T, B] on the result, from the mover's view.
    """
    chex.assert_rank(reward, 2)
    chex.assert_equal_shape([reward, discount, search_value])

    def backward(z_next: chex.Array, step: tuple[chex.Array, ...]) -> tuple[chex.Array, chex.Array]:
        reward, discount, value, weight, bounds = step
        z = weight * value + (1 - weight) * (reward + discount * z_next)
        z = z if bounds is None else bounds.clip(z)
        return z, z

    # So that r + d * z_next is the search value where the last move did not end the game.
    bootstrap = discount[-1] * search_value[-1]
    weights = jnp.broadcast_to(weight, reward.shape)
    steps = reward, discount, search_value, weights, bounds
    _, z = jax.lax.scan(backward, bootstrap, steps, reverse=True)
    return z


def draw_probabilities(
    reward: chex.Array, discount: chex.Array, weight: chex.Numeric, bounds: Bounds | None = None
) -> chex.Array:
    """Returns [T, B]: p_t = (1 - w) * (1 if the move drew the game else p_{t+1}).

    These are the lambda-returns of a draw. A search's value v stands for a win with probability
    (1 + v) / 2 and a loss otherwise, so a draw's probability comes from finished games and proven
    draws alone. Without bounds and without weighted traces, which leave draws as they are, 1 - p is
    no less than the absolute value of the lambda-returns of the result.

    The arguments are as in `lambda_returns`.
    """
    is_drawn = ((discount == 0) & (reward == 0)).astype(reward.dtype)
    if bounds is not None:
        may_draw = (bounds.lower <= 0) & (bounds.upper >= 0)
        bounds = Bounds(lower=may_draw & bounds.is_proven, upper=may_draw)
    # A draw is one in either player's view, so the sign of the discount does not matter.
    return lambda_returns(is_drawn, jnp.abs(discount), jnp.zeros_like(reward), weight, bounds)
