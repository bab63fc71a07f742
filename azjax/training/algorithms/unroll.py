"""The targets of K steps of a learnt model, from replay and beyond the end of a game."""

from typing import NamedTuple

import chex
import jax.numpy as jnp
import numpy as np

from azjax.support import prng
from azjax.training.algorithms.algorithm import TrainContext
from azjax.training.state import Positions, Replay

_STEP = np.uint32(2654435769)  # between the hashed numbers of two steps: 2**32 / golden ratio


class UnrolledTargets(NamedTuple):
    """The targets of K + 1 steps from S positions; step 0 is the position itself.

    Beyond the end of its game a position's value is the result, from the view of the player who
    would be to move; its policy is uniform, and the actions into it are random.
    """

    action: chex.Array  # [S, K + 1] int32, taken at the step; that of step K leads nowhere
    action_weights: chex.Array  # [S, K + 1, A]
    value: chex.Array  # [S, K + 1] from the view of the player to move at the step
    policy_weight: chex.Array  # [S, K + 1] float32, of the policy loss; 0 where it is not known
    is_known: chex.Array  # [S, K + 1] bool; False where the game goes on beyond what replay holds
    is_ended: chex.Array  # [S, K + 1] bool, whether the game has ended before

    def permute(self, actions: np.ndarray, symmetry: chex.Array) -> "UnrolledTargets":
        """Returns the targets, each sample transformed by a symmetry of its own.

        Args:
          actions: [symmetries, A], as in `Symmetries`.
          symmetry: [S].
        """
        images = jnp.asarray(np.argsort(actions, axis=1))[symmetry]  # where each action goes
        permutation = jnp.asarray(actions)[symmetry]
        return self._replace(
            action=jnp.take_along_axis(images, self.action, axis=1),
            action_weights=jnp.take_along_axis(
                self.action_weights, permutation[:, None, :], axis=2
            ),
        )


def unroll_targets(
    context: TrainContext, replay: Replay, values: chex.Array, positions: Positions
) -> UnrolledTargets:
    """Returns the targets of the positions and of the K steps after each.

    Args:
      context: K, and the number of actions.
      replay: [C, B, ...], with the actions among what is recorded.
      values: [C, B], the value targets.
      positions: [S].
    """
    moves, num_actions = replay.trajectory, context.game.num_actions
    num_rows = replay.num_rows
    steps = jnp.arange(context.config.unroll_steps + 1)[None]
    is_written = replay.order(positions.rows)[:, None] + steps < num_rows
    rows = (positions.rows[:, None] + steps) % num_rows
    envs = positions.envs[:, None]

    is_end = is_written & (moves.discount[rows, envs] == 0)
    is_ended = jnp.cumsum(is_end, axis=1) - is_end > 0
    end = is_end.argmax(axis=1)[:, None]
    sign = 1 - 2 * ((steps - end) % 2)  # -1 or 1, from the view of the last mover
    result = sign * jnp.take_along_axis(moves.reward[rows, envs], end, axis=1)

    assert moves.extra is not None, "actions are recorded"
    is_known = is_written | is_ended
    weight = is_known.astype(jnp.float32)
    if moves.policy_weight is not None:
        weight = jnp.where(is_ended, 1.0, is_written * moves.policy_weight[rows, envs])
    action_weights = moves.action_weights[rows, envs]
    return UnrolledTargets(
        action=jnp.where(
            is_known & ~is_ended,
            moves.extra["action"][rows, envs].astype(jnp.int32),
            _random_actions(positions.bits, steps, num_actions),
        ),
        action_weights=jnp.where(is_ended[..., None], 1 / num_actions, action_weights),
        value=jnp.where(is_ended, result, values[rows, envs]),
        policy_weight=weight,
        is_known=is_known,
        is_ended=is_ended,
    )


def _random_actions(bits: chex.Array, steps: chex.Array, num_actions: int) -> chex.Array:
    """Returns [S, K + 1] int32 from random bits [S] and steps [1, K + 1]: uniform actions."""
    return prng.hash_below(bits[:, None] + steps.astype(jnp.uint32) * _STEP, num_actions)
