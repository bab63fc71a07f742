"""AlphaZero: search over the rules, and a network that learns its policy and the results.

"A general reinforcement learning algorithm that masters chess, shogi, and Go through self-play",
Silver et al., Science 2018; with Gumbel's search, "Policy improvement by planning with Gumbel",
Danihelka et al., ICLR 2022.
"""

import dataclasses
from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, NamedTuple

import chex
import jax
import jax.numpy as jnp
import optax

from azjax.networks import Outputs, Variables
from azjax.search import mask_illegal
from azjax.support.component import component_names
from azjax.support.ranges import Range
from azjax.support.validation import check_above, check_number, check_share
from azjax.training.hooks import HEAD_HOOKS, SELF_PLAY_HOOKS, Algorithm, TrainConfig, TrainContext
from azjax.training.selfplay import play_itself
from azjax.training.state import (
    Games,
    Losses,
    PlayProgress,
    Positions,
    Replay,
    TrainState,
    Trajectory,
)
from azjax.training.symmetries import transform_positions
from azjax.training.targets import Targets, compute_targets, policy_targets, result_probabilities


class Batch(NamedTuple):
    """Network inputs and targets."""

    observation: chex.Array  # [S, H, W, C]
    legal: chex.Array  # [S, A] bool
    action_weights: chex.Array  # [S, A] the policy targets
    targets: Targets  # [S]
    of_parts: dict[str, Any]  # [S, ...] targets of parts, by name
    policy_weight: chex.Array | None = None  # [S] of the policy loss, None where all are 1
    value_weight: chex.Array | None = None  # [S] of the value loss, None where all are 1


@dataclasses.dataclass(frozen=True)
class PolicyAndValue(Algorithm):
    """Learns policies by cross-entropy, and values with the weight `value_loss_weight`, if any."""

    def require_values(self, config: TrainConfig) -> None:
        """Raises ValueError unless the network has values."""
        head, needed = config.network.value_head, "scalar or wdl"
        self.require(head != "none", "network.value_head", head, needed, "which needs values")

    def compute_targets(self, context: TrainContext, replay: Replay) -> Any:
        """Returns [C, B]: the results of the games."""
        return compute_targets(context, replay, 1.0)

    def make_batch(
        self, context: TrainContext, replay: Replay, targets: Any, positions: Positions
    ) -> Any:
        """Returns the positions [S] of replay, each transformed by its symmetry, as a `Batch`."""
        game, (rows, games, symmetry, _) = context.game, positions
        moves, parts = replay.trajectory, context.parts("loss")
        sampled = jax.tree.map(lambda x: x[rows, games], targets)
        cells = jnp.asarray(game.symmetries.cells)[symmetry]
        actions = jnp.asarray(game.symmetries.actions)[symmetry]
        states = jax.tree.map(lambda x: x[rows, games], moves.state)
        observation, legal = transform_positions(game, states, symmetry)
        of_parts = {}
        for part in parts:
            prepared = sampled.of_parts.get(part.name)
            target = part.sample_target(context, replay, prepared, positions)
            of_parts[part.name] = part.permute_target(target, cells, actions)
        action_weights = policy_targets(context, moves, rows, games)
        weight = moves.policy_weight
        return Batch(
            observation=observation,
            legal=legal,
            action_weights=jnp.take_along_axis(action_weights, actions, axis=1),
            targets=sampled._replace(of_parts={}),
            of_parts=of_parts,
            policy_weight=None if weight is None else weight[rows, games],
        )

    def loss(
        self, context: TrainContext, variables: Variables, batch: Any
    ) -> tuple[Losses, dict[str, Any]]:
        """Returns `losses` of the network's outputs, and the new batch statistics."""
        outputs, batch_stats = context.network.apply_train(
            variables, batch.observation, context.axis_name
        )
        return self.losses(context, outputs, batch), batch_stats

    def losses(self, context: TrainContext, outputs: Outputs, batch: Any) -> Losses:
        """Returns the cross-entropy of the policy, plus the weighted losses of value and parts."""
        logits = mask_illegal(outputs.policy_logits, batch.legal)
        chex.assert_equal_shape([logits, batch.action_weights])
        chex.assert_equal_shape([outputs.value, batch.targets.value])
        policy_errors = optax.losses.safe_softmax_cross_entropy(logits, batch.action_weights)
        policy_loss = _weighted_mean(policy_errors, batch.policy_weight)
        has_value = context.config.network.value_head != "none"
        squared_errors = has_value * jnp.square(outputs.value - batch.targets.value)
        value_loss = _weighted_mean(squared_errors, batch.value_weight)
        weight = getattr(self, "value_loss_weight", 0.0)
        loss = policy_loss + weight * _trained_value_loss(outputs, batch, value_loss)
        extra = {}
        for part in context.parts("loss"):
            errors = part.loss(outputs, batch.of_parts[part.name])
            extra[f"{part.name}_loss"] = errors.mean()
            loss += getattr(part, "weight", 1.0) * extra[f"{part.name}_loss"]
        return Losses(loss, policy_loss, value_loss, extra)


def _trained_value_loss(outputs: Outputs, batch: Batch, squared_error: chex.Array) -> chex.Array:
    """Returns []: the squared error, or the cross-entropy of win, draw and loss where given."""
    value, draw = batch.targets.value, batch.targets.draw
    if outputs.value_logits is None or draw is None:
        return squared_error
    probabilities = result_probabilities(value, draw)
    errors = optax.losses.softmax_cross_entropy(outputs.value_logits, probabilities)
    return _weighted_mean(errors, batch.value_weight)


def _weighted_mean(errors: chex.Array, weight: chex.Array | None) -> chex.Array:
    """Returns []: the mean of errors [S] times their weights."""
    return (errors if weight is None else weight * errors).mean()


@dataclasses.dataclass(frozen=True)
class AlphaZero(PolicyAndValue):
    """Plays itself by search; the network learns the search's policy and the games' results."""

    name = "alphazero"
    hooks: ClassVar[Sequence[str]] = SELF_PLAY_HOOKS + HEAD_HOOKS

    temperature: Annotated[float, Range(0.3, 2.0, log=True)] = 1.0
    """Early moves are sampled from the action weights to the power of 1 / temperature."""
    temperature_moves: Annotated[float, Range(1.0, 30.0, log=True)] = 8.0
    """Number of early moves, from the start position of a game."""
    td_lambda: Annotated[float, Range(0.0, 1.0)] = 1.0
    """Value target: lambda of the lambda-returns that bootstrap from the search's values; 1 gives
    the game's outcome, 0 the search's value."""
    value_loss_weight: Annotated[float, Range(0.25, 4.0, log=True)] = 1.0
    """Weight of the value loss relative to the policy loss."""

    def check(self) -> None:
        check_above("temperature", self.temperature, 0)
        check_number("temperature_moves", self.temperature_moves)
        check_share("td_lambda", self.td_lambda)
        check_number("value_loss_weight", self.value_loss_weight)

    def check_fit(self, config: TrainConfig) -> None:
        """Raises ValueError if there is nothing to learn from, or no value to learn."""
        own, reason = config.search.name, "which learns from simulations"
        others = ", ".join(name for name in component_names("search") if name != own)
        self.require(config.search.simulations_made, "search.name", own, others, reason)
        self.require_values(config)

    def play(
        self, context: TrainContext, state: TrainState, key: chex.PRNGKey, progress: chex.Numeric
    ) -> tuple[Games, Trajectory, PlayProgress]:
        """Plays T moves in each of the run's games by the network that plays, in both seats."""
        return play_itself(
            *(context, state, state.actor, key, progress),
            temperature=self.temperature,
            temperature_moves=self.temperature_moves,
        )

    def compute_targets(self, context: TrainContext, replay: Replay) -> Targets:
        """Returns value targets [C, B]."""
        return compute_targets(context, replay, self.td_lambda)
