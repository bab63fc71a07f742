"""Auxiliary heads: outputs that training alone reads, for what they teach the torso.

The reply and ownership are from "Accelerating Self-Play Learning in Go", Wu 2019, sections 4.1
and 3.4.
"""

import dataclasses
from typing import Annotated, Any, NamedTuple

import chex
import jax
import jax.numpy as jnp
import optax

from azjax.games import Game
from azjax.networks import Head, Outputs
from azjax.search import SearchResult
from azjax.support.errors import InputError
from azjax.support.ranges import Range
from azjax.support.validation import check_number
from azjax.training.hooks import Part, TrainConfig, TrainContext
from azjax.training.state import Move, Positions, Replay
from azjax.training.targets import game_ends


@dataclasses.dataclass(frozen=True)
class _AuxiliaryHead(Part):
    def check(self) -> None:
        check_number("weight", self.weight)  # type: ignore[attr-defined]

    def check_fit(self, config: TrainConfig, game: Game) -> None:
        """Raises ValueError if the network has no value head, whose features heads read."""
        if config.network.value_head == "none":
            raise ValueError(f"parts: {self.name} needs a network with network.value_head")

    def permute_target(self, target: Any, cells: chex.Array, actions: chex.Array) -> Any:
        """Returns [S, A] of permuted actions."""
        return jax.tree.map(lambda x: jnp.take_along_axis(x, actions, axis=1), target)


@dataclasses.dataclass(frozen=True)
class Reply(_AuxiliaryHead):
    """A head that predicts the opponent's answer."""

    name = "reply"

    weight: Annotated[float, Range(0.05, 0.5, log=True)] = 0.15
    """Weight of its loss; 0.15 in KataGo."""

    def heads(self, game: Game) -> tuple[Head, ...]:
        """Returns the head: the logits of the actions at the next position."""
        return (Head("reply_logits", "actions", is_bounded=False),)

    def sample_target(
        self, context: TrainContext, replay: Replay, prepared: Any, positions: Positions
    ) -> chex.Array:
        """Returns [S, A]: the action weights after the move, zeros at the end of game or replay.

        Where moves have weights in the policy loss, the reply has the weight of its own move: 0
        after a fast search, and more than 1 else, so that it keeps its share of the loss.
        """
        moves, rows, games = replay.trajectory, positions.rows, positions.games
        next_rows = (rows + 1) % replay.num_rows
        is_newest = next_rows == replay.next_row
        has_reply = (moves.discount[rows, games] != 0) & ~is_newest
        reply = moves.action_weights[next_rows, games] * has_reply[:, None]
        if moves.policy_weight is not None:
            reply *= moves.policy_weight[next_rows, games][:, None]
        return reply

    def loss(self, outputs: Outputs, target: chex.Array) -> chex.Array:
        """Returns [S]: cross-entropy, nats, over all actions; the legal ones are not known yet."""
        logits = outputs.auxiliary["reply_logits"]
        return optax.losses.safe_softmax_cross_entropy(logits, target)


class SearchedValues(NamedTuple):
    """Q-values of a search, from the view of the player to move."""

    qvalues: chex.Array  # [..., A]
    is_visited: chex.Array  # [..., A] bool, whether the search has visited the action


@dataclasses.dataclass(frozen=True)
class ActionValues(_AuxiliaryHead):
    """A head that predicts the Q-values of the search."""

    name = "action_values"

    weight: Annotated[float, Range(0.25, 5.0, log=True)] = 1.0
    """Weight of its loss; up to 5 in AlphaZeroArcade."""

    def check_fit(self, config: TrainConfig, game: Game) -> None:
        """Raises ValueError if no search is made."""
        super().check_fit(config, game)
        if not config.search.simulations_made:
            raise ValueError(f"parts: must be without {self.name}, as nothing is searched")

    def heads(self, game: Game) -> tuple[Head, ...]:
        """Returns the head: a value in (-1, 1) of each action, from the mover's view."""
        return (Head("action_values", "actions", is_bounded=True),)

    def record_search(self, context: TrainContext, result: SearchResult) -> dict[str, Any]:
        """Records the Q-values [B, A] of the root.

        Raises:
          InputError: The search returns no tree.
        """
        if result.tree is None:
            search = context.config.search.name
            raise InputError(f"parts: must be without action_values, as {search} returns no tree")
        root = result.tree.summary()
        return {"action_values": SearchedValues(root.qvalues, root.visit_counts > 0)}

    def sample_target(
        self, context: TrainContext, replay: Replay, prepared: Any, positions: Positions
    ) -> SearchedValues:
        """Returns the recorded values [S, A]."""
        records = replay.trajectory.records["action_values"]
        return jax.tree.map(lambda x: x[positions.rows, positions.games], records)

    def loss(self, outputs: Outputs, target: SearchedValues) -> chex.Array:
        """Returns [S]: the mean squared error over visited actions."""
        errors = jnp.square(outputs.auxiliary["action_values"] - target.qvalues)
        errors = jnp.where(target.is_visited, errors, 0)
        return errors.sum(axis=-1) / jnp.maximum(target.is_visited.sum(axis=-1), 1)


class OwnershipTarget(NamedTuple):
    """Who owns the cells at the end of the game."""

    cells: chex.Array  # [..., H * W] int8: 1 the player to move, -1 the opponent, 0 neither
    is_known: chex.Array  # [...] bool, whether replay has the end of the game


@dataclasses.dataclass(frozen=True)
class Ownership(_AuxiliaryHead):
    """Heads that predict the owners of the cells at the end of the game, and the margin."""

    name = "ownership"

    weight: Annotated[float, Range(0.1, 4.0, log=True)] = 1.0
    """Weight of its loss, squared errors in (-1, 1); in KataGo 1.5 of the cross-entropy, which is
    about this."""

    def check_fit(self, config: TrainConfig, game: Game) -> None:
        """Raises ValueError if cells of the game have no owners."""
        super().check_fit(config, game)
        if not game.has_ownership:
            raise ValueError(
                f"parts: must be without ownership, as cells of {game.name} have no owners"
            )

    def heads(self, game: Game) -> tuple[Head, ...]:
        """Returns the heads: the owner of each cell, and the mean over the cells."""
        owners = Head("ownership", "cells", is_bounded=True)
        return owners, Head("margin", "scalar", is_bounded=True)

    def record_move(self, context: TrainContext, move: Move) -> dict[str, chex.Array]:
        """Records [B, H * W] int8, which means something where the game has ended."""
        return {"ownership": jax.vmap(context.game.ownership)(move.after)}

    def prepare_targets(self, context: TrainContext, replay: Replay) -> chex.Array:
        """Returns [C, B] int32: the row in which each game ends."""
        return game_ends(replay)

    def sample_target(
        self, context: TrainContext, replay: Replay, prepared: chex.Array, positions: Positions
    ) -> OwnershipTarget:
        """Returns the owners [S, H * W] at the end of each game, from the mover's view."""
        moves, games = replay.trajectory, positions.games
        sign = 1 - 2 * moves.state.current_player[positions.rows, games]
        cells = sign[:, None] * moves.records["ownership"][prepared, games]
        return OwnershipTarget(cells, is_known=prepared < replay.num_rows)

    def permute_target(
        self, target: OwnershipTarget, cells: chex.Array, actions: chex.Array
    ) -> OwnershipTarget:
        """Returns [S, H * W] of permuted cells."""
        return target._replace(cells=jnp.take_along_axis(target.cells, cells, axis=1))

    def loss(self, outputs: Outputs, target: OwnershipTarget) -> chex.Array:
        """Returns [S]: the mean squared error over cells, plus the error of the margin."""
        cells = target.cells.astype(jnp.float32)
        of_cells = jnp.square(outputs.auxiliary["ownership"] - cells).mean(axis=-1)
        of_margin = jnp.square(outputs.auxiliary["margin"] - cells.mean(axis=-1))
        return jnp.where(target.is_known, of_cells + of_margin, 0)
