"""Auxiliary heads: what replay records for them, their targets, and their losses."""

from collections.abc import Callable
from typing import Any, NamedTuple

import chex
import jax
import jax.numpy as jnp
import optax

from azjax.networks import Ownership
from azjax.training.algorithms.algorithm import TrainContext
from azjax.training.state import Move, Replay


class ActionValues(NamedTuple):
    """Q-values of a search, from the view of the player to move."""

    qvalues: chex.Array  # [..., A]
    is_visited: chex.Array  # [..., A] bool, whether the search has visited the action


class OwnershipTarget(NamedTuple):
    """Who owns the cells at the end of the game."""

    cells: chex.Array  # [..., H * W] int8: 1 the player to move, -1 the opponent, 0 neither
    is_known: chex.Array  # [...] bool, whether replay has the end of the game


def record_auxiliary(context: TrainContext, move: Move) -> dict[str, Any] | None:
    """Returns what the network's heads learn from one move of B games.

    Args:
      context: The network and the game.
      move: [B, ...].

    Returns:
      `action_values`: `ActionValues` [B, ...]; `ownership`: `Game.ownership` of `move.after`, [B,
      H * W] int8, which means something where the game has ended. None if there is nothing.

    Raises:
      ValueError: `action_values` are wanted of a search without a tree.
    """
    heads = context.network.config.auxiliary_heads
    record: dict[str, Any] = {}
    if "action_values" in heads:
        assert move.result is not None, "all moves of self-play are searched"
        if move.result.tree is None:
            raise ValueError(
                "network.auxiliary_heads: must be without action_values, as "
                f"{context.config.search.algorithm} returns no tree"
            )
        root = move.result.tree.summary()
        record["action_values"] = ActionValues(root.qvalues, root.visit_counts > 0)
    if "ownership" in heads:
        record["ownership"] = jax.vmap(context.game.ownership)(move.after)
    return record or None


def empty_record(context: TrainContext, shape: tuple[int, int]) -> dict[str, Any] | None:
    """Returns [C, B] of zeros, like what `record_auxiliary` returns."""
    heads, game = context.network.config.auxiliary_heads, context.game
    record: dict[str, Any] = {}
    if "action_values" in heads:
        zeros = jnp.zeros((*shape, game.num_actions))
        record["action_values"] = ActionValues(zeros, zeros > 0)
    if "ownership" in heads:
        rows, columns, _ = game.observation_shape
        record["ownership"] = jnp.zeros((*shape, rows * columns), jnp.int8)
    return record or None


def game_ends(replay: Replay) -> chex.Array:
    """Returns [C, B] int32: the row of the move that ends the game of each move, C without one."""
    num_rows, oldest = replay.num_rows, replay.next_row
    places = jnp.arange(num_rows, dtype=jnp.int32)[:, None]  # in the order of writing
    discount = jnp.roll(replay.trajectory.discount, -oldest, axis=0)
    ends = jnp.where(discount == 0, places, num_rows)
    ends = jax.lax.cummin(ends, axis=0, reverse=True)
    ends = jnp.where(ends < num_rows, (ends + oldest) % num_rows, num_rows)
    return jnp.roll(ends, oldest, axis=0)


def sample_auxiliary(
    context: TrainContext,
    replay: Replay,
    game_end: chex.Array | None,
    rows: chex.Array,
    envs: chex.Array,
) -> dict[str, Any]:
    """Returns the targets of S positions in replay.

    Args:
      context: The network.
      replay: [C, B, ...].
      game_end: [S] of `game_ends`; None without a head for ownership.
      rows: [S].
      envs: [S].

    Returns:
      `reply`: [S, A] action weights at the next position, times its weight in the policy loss;
      zeros where replay has none of the game;
      `action_values`: `ActionValues` [S, ...]; `ownership`: `OwnershipTarget` [S, ...].
    """
    heads, trajectory = context.network.config.auxiliary_heads, replay.trajectory
    records = trajectory.extra or {}
    targets: dict[str, Any] = {}
    if "reply" in heads:
        targets["reply"] = _reply(replay, rows, envs)
    if "action_values" in heads:
        targets["action_values"] = jax.tree.map(lambda x: x[rows, envs], records["action_values"])
    if game_end is not None:
        record = records["ownership"]
        sign = 1 - 2 * trajectory.state.current_player[rows, envs]
        cells = sign[:, None] * record[game_end, envs]
        targets["ownership"] = OwnershipTarget(cells, is_known=game_end < len(record))
    return targets


def _reply(replay: Replay, rows: chex.Array, envs: chex.Array) -> chex.Array:
    """Returns [S, A]: the action weights after the move, zeros at the end of game or replay.

    Where moves have weights in the policy loss, the reply has that of its own move: 0 of a fast
    search, and more than 1 of the others, so that the reply keeps its share of the loss.
    """
    trajectory = replay.trajectory
    next_rows = (rows + 1) % replay.num_rows
    is_newest = next_rows == replay.next_row
    has_reply = (trajectory.discount[rows, envs] != 0) & ~is_newest
    reply = trajectory.action_weights[next_rows, envs] * has_reply[:, None]
    if trajectory.policy_weight is not None:
        reply *= trajectory.policy_weight[next_rows, envs][:, None]
    return reply


def permute(targets: dict[str, Any], cells: chex.Array, actions: chex.Array) -> dict[str, Any]:
    """Returns the targets, each transformed by a symmetry of its own.

    Args:
      targets: [S, ...], of `sample_auxiliary`.
      cells: [S, H * W], as in `Symmetries`.
      actions: [S, A].
    """

    def permute_one(name: str, target: Any) -> Any:
        if name == "ownership":
            return target._replace(cells=jnp.take_along_axis(target.cells, cells, axis=1))
        return jax.tree.map(lambda x: jnp.take_along_axis(x, actions, axis=1), target)

    return {name: permute_one(name, target) for name, target in targets.items()}


def auxiliary_losses(outputs: dict[str, Any], targets: dict[str, Any]) -> dict[str, chex.Array]:
    """Returns [] by the name of each head: the mean over all positions of a batch.

    A position without a target counts as one without an error.

    Args:
      outputs: [S, ...], `Outputs.auxiliary`.
      targets: [S, ...], of `sample_auxiliary`.
    """
    losses: dict[str, Callable[..., chex.Array]] = {
        "reply": _reply_loss,
        "action_values": _action_values_loss,
        "ownership": _ownership_loss,
    }
    return {name: losses[name](outputs[name], target).mean() for name, target in targets.items()}


def _reply_loss(logits: chex.Array, weights: chex.Array) -> chex.Array:
    """Returns [S]: cross-entropy, nats, over all actions; the legal ones are not known yet."""
    return optax.losses.safe_softmax_cross_entropy(logits, weights)


def _action_values_loss(values: chex.Array, target: ActionValues) -> chex.Array:
    """Returns [S]: the mean squared error over visited actions."""
    errors = jnp.where(target.is_visited, jnp.square(values - target.qvalues), 0)
    return errors.sum(axis=-1) / jnp.maximum(target.is_visited.sum(axis=-1), 1)


def _ownership_loss(outputs: Ownership, target: OwnershipTarget) -> chex.Array:
    """Returns [S]: the mean squared error over cells, plus that of the margin."""
    cells = target.cells.astype(jnp.float32)
    of_cells = jnp.square(outputs.cells - cells).mean(axis=-1)
    of_margin = jnp.square(outputs.margin - cells.mean(axis=-1))
    return jnp.where(target.is_known, of_cells + of_margin, 0)
