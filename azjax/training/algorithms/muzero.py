"""MuZero: search over a model that the network learns, trained through K steps of it.

"Mastering Atari, Go, Chess and Shogi by planning with a learned model", Schrittwieser et al.,
Nature 2020. As rewards come at the end of a game alone, the model predicts no rewards.
"""

from typing import Any, NamedTuple

import chex
import jax
import jax.numpy as jnp
import numpy as np
import optax

from azjax.games import Game
from azjax.networks import (
    MODEL_HEADS,
    ModelNetwork,
    Network,
    Variables,
    check_equivariance,
    make_model_network,
    ties_weights,
)
from azjax.support import prng
from azjax.support.validation import check_size
from azjax.training.algorithms.algorithm import Algorithm, Losses, TrainContext
from azjax.training.algorithms.options import (
    SELF_PLAY_HYPERPARAMETERS,
    SELF_PLAY_OPTIONS,
    check_heads,
    check_simulations,
)
from azjax.training.algorithms.reinforce import empty_action_record, record_action
from azjax.training.config import Hyperparameters, TrainConfig
from azjax.training.learning.symmetries import board_symmetries, transform_positions
from azjax.training.replay.targets import Targets, compute_targets
from azjax.training.selfplay.games import play_itself
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


class UnrolledBatch(NamedTuple):
    """Positions, the K actions after each, and the targets of K + 1 steps."""

    observation: chex.Array  # [S, H, W, C]
    legal: chex.Array  # [S, A] bool
    targets: UnrolledTargets  # [S, K + 1, ...]
    next_observation: chex.Array | None  # [S, K, H, W, C]; None without the head consistency


def _check(config: TrainConfig) -> None:
    network = config.network
    check_size("unroll_steps", config.unroll_steps, 1, config.replay_moves)
    if network.architecture != "resnet":
        raise ValueError(
            f"network.architecture={network.architecture!r}: must be 'resnet' for algorithm "
            f"{config.algorithm}, whose latents are boards"
        )
    if network.norm == "batch":
        raise ValueError(
            f"network.norm='batch': must be none or layer for algorithm {config.algorithm}"
        )
    _check_halves(config)
    check_heads(config, MODEL_HEADS)
    check_simulations(config)


def _check_halves(config: TrainConfig, group_size: int = 1) -> None:
    """Raises ValueError unless each half of the channels is of whole groups of tied units."""
    channels, factor = config.network.channels, 2 * group_size
    if channels % factor:
        raise ValueError(
            f"network.channels={channels}: must be a multiple of {factor} for algorithm "
            f"{config.algorithm}, whose latents have a half for each player"
        )


def _make_network(config: TrainConfig, game: Game) -> Network:
    if not game.turns_alternate:
        raise ValueError(
            f"game={config.game!r}: must be one whose turns alternate for algorithm "
            f"{config.algorithm}, whose model does not learn who is to move"
        )
    symmetries = board_symmetries(game)
    check_equivariance(config.network, symmetries)
    if ties_weights(config.network, symmetries):
        _check_halves(config, len(symmetries.cells))
    planes = game.action_planes.shape[-1]
    return make_model_network(config.network, game.observation_shape, game.num_actions, planes)


def _make_batch(
    context: TrainContext, replay: Replay, targets: Targets, positions: Positions
) -> UnrolledBatch:
    """Returns the positions [S] of replay with the K steps after each, by one symmetry each."""
    game, (rows, envs, symmetry, _) = context.game, positions
    unrolled = unroll_targets(context, replay, targets.value, positions)

    def observe(rows: chex.Array) -> tuple[chex.Array, chex.Array]:
        states = jax.tree.map(lambda x: x[rows, envs], replay.trajectory.state)
        return transform_positions(game, states, symmetry)

    def observe_next() -> chex.Array:
        steps = 1 + jnp.arange(context.config.unroll_steps)
        next_rows = (rows[None] + steps[:, None]) % replay.num_rows
        return jax.lax.map(lambda rows: observe(rows)[0], next_rows).swapaxes(0, 1)

    observation, legal = observe(rows)
    has_consistency = "consistency" in context.config.network.auxiliary_heads
    return UnrolledBatch(
        observation=observation,
        legal=legal,
        targets=unrolled.permute(game.symmetries.actions, symmetry),
        next_observation=observe_next() if has_consistency else None,
    )


def _loss(
    params: dict[str, Any],
    batch_stats: dict[str, Any],
    context: TrainContext,
    batch: UnrolledBatch,
    hyperparameters: Hyperparameters,
) -> tuple[chex.Array, tuple[Losses, dict[str, Any]]]:
    """Returns the loss of step 0, the mean of those of K steps, and the consistency loss."""
    num_steps = context.config.unroll_steps
    observation, legal, targets, next_observation = _time_major(batch)
    planes = jnp.asarray(context.game.action_planes)[targets.action[:-1]]
    assert isinstance(context.network, ModelNetwork), "the algorithm makes no other"
    unrolled = context.network.unroll(
        Variables(params, batch_stats), observation, planes, next_observation
    )
    logits, value = unrolled.outputs.policy_logits, unrolled.outputs.value
    policy_errors = optax.losses.softmax_cross_entropy(logits, targets.action_weights)
    value_errors = jnp.square(value - targets.value)
    weighted = targets.policy_weight * policy_errors
    weighted += hyperparameters.value_loss_weight * targets.is_known * value_errors
    of_step = weighted.mean(axis=1)  # [K + 1]
    loss = of_step[0] + of_step[1:].sum() / num_steps
    extra = {
        "illegal_mass": jnp.where(legal, 0, jax.nn.softmax(logits[0])).sum(axis=-1).mean(),
        "value_drift": _mean_where(targets.is_ended, jnp.abs(value - targets.value)),
    }
    for step in range(1, num_steps + 1):
        error = _mean_where(targets.is_known[step], value_errors[step])
        extra[f"value_loss_{step}"] = error
    if unrolled.similarity is not None:
        is_real = (targets.is_known & ~targets.is_ended)[1:]
        consistency_loss = -(is_real * unrolled.similarity).mean()
        loss += hyperparameters.consistency_loss_weight * consistency_loss
        extra["consistency_loss"] = consistency_loss
    policy_loss = (targets.policy_weight[0] * policy_errors[0]).mean()
    return loss, (Losses(loss, policy_loss, value_errors[0].mean(), extra), batch_stats)


def _time_major(batch: UnrolledBatch) -> UnrolledBatch:
    """Returns the batch with steps before samples: targets [K + 1, S, ...], observations [K, S]."""
    targets, following = jax.tree.map(
        lambda x: x.swapaxes(0, 1), (batch.targets, batch.next_observation)
    )
    return batch._replace(targets=targets, next_observation=following)


def _mean_where(mask: chex.Array, values: chex.Array) -> chex.Array:
    """Returns []: the mean of the values where the mask is set, 0 if it is nowhere.

    Of a metric only: it is averaged over microbatches and devices with equal weights, whatever the
    mask leaves of each. One without any counts as 0, so where few are set the metric is too low.
    """
    return jnp.where(mask, values, 0).sum() / jnp.maximum(mask.sum(), 1)


def _extra_metrics(config: TrainConfig) -> tuple[str, ...]:
    errors = (f"value_loss_{step}" for step in range(1, config.unroll_steps + 1))
    heads = (f"{head}_loss" for head in config.network.auxiliary_heads)
    return "illegal_mass", "value_drift", *errors, *heads


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


muzero = Algorithm(
    options=(
        *SELF_PLAY_OPTIONS,
        "unroll_steps",
        "network.auxiliary_heads",
        "network.equivariant",
    ),
    hyperparameters=(*SELF_PLAY_HYPERPARAMETERS, "consistency_loss_weight"),
    check=_check,
    make_network=_make_network,
    play=play_itself,
    record=record_action,
    empty_record=empty_action_record,
    compute_targets=compute_targets,
    make_batch=_make_batch,
    loss=_loss,
    extra_metrics=_extra_metrics,
)
