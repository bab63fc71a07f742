"""MuZero: search over a model that the network learns, trained through K steps of it.

"Mastering Atari, Go, Chess and Shogi by planning with a learned model", Schrittwieser et al.,
Nature 2020. As rewards come at the end of a game alone, the model predicts no rewards.
"""

import dataclasses
from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, NamedTuple

import chex
import jax
import jax.numpy as jnp
import numpy as np
import optax

from azjax.games import Game
from azjax.networks import (
    ModelNetwork,
    Network,
    Variables,
    check_equivariance,
    make_model_network,
    ties_weights,
)
from azjax.support.ranges import Range
from azjax.support.validation import check_number, check_size
from azjax.training.algorithms.alphazero import AlphaZero
from azjax.training.hooks import SELF_PLAY_HOOKS, TrainConfig, TrainContext
from azjax.training.state import Losses, Positions, Replay
from azjax.training.symmetries import board_symmetries, transform_positions
from azjax.training.targets import Targets, policy_targets


class UnrolledTargets(NamedTuple):
    """The targets of K + 1 steps from S positions; step 0 is the position itself.

    Beyond the end of its game a position's value is the result, from the view of the player who
    would be to move; its policy is uniform, and the actions into it are random.
    """

    action: chex.Array  # [S, K + 1] int32, taken at the step; the one of step K leads nowhere
    action_weights: chex.Array  # [S, K + 1, A]
    value: chex.Array  # [S, K + 1] from the view of the player to move at the step
    policy_weight: chex.Array  # [S, K + 1] float32, of the policy loss; 0 where it is not known
    is_known: chex.Array  # [S, K + 1] bool; False where the game goes on beyond what replay holds
    is_ended: chex.Array  # [S, K + 1] bool, whether the game has ended before


class UnrolledBatch(NamedTuple):
    """Positions, the K actions after each, and the targets of K + 1 steps."""

    observation: chex.Array  # [S, H, W, C]
    legal: chex.Array  # [S, A] bool
    targets: UnrolledTargets  # [S, K + 1, ...]
    next_observation: chex.Array | None  # [S, K, H, W, C]; None without consistency


def _mean_where(mask: chex.Array, values: chex.Array) -> chex.Array:
    """Returns []: the mean of the values where the mask is set, 0 if it is nowhere.

    For metrics alone: microbatches and devices have equal weights, and one where the mask is not
    set counts as 0, so where few are set the metric is too low.
    """
    return jnp.where(mask, values, 0).sum() / jnp.maximum(mask.sum(), 1)


def unroll_targets(
    context: TrainContext, replay: Replay, values: chex.Array, positions: Positions, num_steps: int
) -> UnrolledTargets:
    """Returns the targets of positions [S] and of the K steps after each; `values` [C, B]."""
    moves, num_actions = replay.trajectory, context.game.num_actions
    num_rows = replay.num_rows
    steps = jnp.arange(num_steps + 1)[None]
    is_written = replay.order(positions.rows)[:, None] + steps < num_rows
    rows = (positions.rows[:, None] + steps) % num_rows
    games = positions.games[:, None]

    is_end = is_written & (moves.discount[rows, games] == 0)
    is_ended = jnp.cumsum(is_end, axis=1) - is_end > 0
    end = is_end.argmax(axis=1)[:, None]
    sign = 1 - 2 * ((steps - end) % 2)  # -1 or 1, from the view of the last mover
    result = sign * jnp.take_along_axis(moves.reward[rows, games], end, axis=1)

    is_known = is_written | is_ended
    weight = is_known.astype(jnp.float32)
    if moves.policy_weight is not None:
        weight = jnp.where(is_ended, 1.0, is_written * moves.policy_weight[rows, games])
    action_weights = policy_targets(context, moves, rows, games)
    return UnrolledTargets(
        action=jnp.where(
            is_known & ~is_ended,
            moves.action[rows, games].astype(jnp.int32),
            _random_actions(positions, num_steps, num_actions),
        ),
        action_weights=jnp.where(is_ended[..., None], 1 / num_actions, action_weights),
        value=jnp.where(is_ended, result, values[rows, games]),
        policy_weight=weight,
        is_known=is_known,
        is_ended=is_ended,
    )


def _random_actions(positions: Positions, num_steps: int, num_actions: int) -> chex.Array:
    """Returns [S, K + 1] int32: uniform actions."""
    num_positions, num_groups = len(positions.rows), len(positions.keys)
    shape = num_positions // num_groups, num_steps + 1
    sample = jax.vmap(lambda key: jax.random.randint(key, shape, 0, num_actions))
    return sample(positions.keys).reshape(num_positions, -1)


@dataclasses.dataclass(frozen=True)
class MuZero(AlphaZero):
    """Plays itself by search over a model that the network learns, without the rules."""

    name = "muzero"
    hooks: ClassVar[Sequence[str]] = SELF_PLAY_HOOKS

    unroll_steps: int = 5
    """K, steps of the learnt model that a sample trains."""
    consistency: bool = False
    """Learn that a latent of the dynamics stands for the representation of its position."""
    consistency_loss_weight: Annotated[float, Range(0.5, 5.0, log=True)] = 2.0
    """Weight of that loss, minus a cosine; 2 in EfficientZero."""

    def check(self) -> None:
        super().check()
        check_size("unroll_steps", self.unroll_steps, 1, 2**24)
        check_number("consistency_loss_weight", self.consistency_loss_weight)

    def check_fit(self, config: TrainConfig) -> None:
        """Raises ValueError if the network cannot have a model, or replay not hold K steps."""
        super().check_fit(config)
        check_size("algorithm.unroll_steps", self.unroll_steps, 1, config.replay_moves)
        name, head = config.network.name, config.network.value_head
        self.require(name == "resnet", "network.name", name, "'resnet'", "whose latents are boards")
        norm = getattr(config.network, "norm", None)
        self.require(norm != "batch", "network.norm", norm, "none or layer")
        self.require(head == "scalar", "network.value_head", head, "scalar")
        proves = getattr(config.search, "proven_values", False)
        reason = "whose model does not know how games end"
        self.require(not proves, "search.proven_values", proves, "false", reason)
        kept, reason = getattr(config.search, "kept_nodes", 0), "whose latents are predicted anew"
        self.require(not kept, "search.kept_nodes", kept, "0", reason)
        self._check_halves(config)

    def _check_halves(self, config: TrainConfig, group_size: int = 1) -> None:
        """Raises ValueError unless each half of the channels is of whole groups of tied units."""
        channels, factor = config.network.channels, 2 * group_size
        needed, reason = f"a multiple of {factor}", "whose latents have a half for each player"
        self.require(channels % factor == 0, "network.channels", channels, needed, reason)

    def make_network(self, config: TrainConfig, game: Game) -> Network:
        """Returns a network with a model; raises ValueError where it does not fit the game."""
        reason = "whose model does not learn who is to move"
        self.require(game.turns_alternate, "game", config.game, "one whose turns alternate", reason)
        symmetries = board_symmetries(game)
        if ties_weights(config.network, symmetries):
            self._check_halves(config, len(symmetries.cells))
        sizes = game.observation_shape, game.num_actions, game.action_planes.shape[-1]
        network = make_model_network(config.network, *sizes, consistency=self.consistency)
        check_equivariance(network, symmetries)
        return network

    def make_batch(
        self, context: TrainContext, replay: Replay, targets: Targets, positions: Positions
    ) -> UnrolledBatch:
        """Returns the positions [S] of replay with the K steps after each, by one symmetry each."""
        game, (rows, games, symmetry, _) = context.game, positions
        unrolled = unroll_targets(context, replay, targets.value, positions, self.unroll_steps)

        def observe(rows: chex.Array) -> tuple[chex.Array, chex.Array]:
            states = jax.tree.map(lambda x: x[rows, games], replay.trajectory.state)
            return transform_positions(game, states, symmetry)

        def observe_next() -> chex.Array:
            steps = 1 + jnp.arange(self.unroll_steps)
            next_rows = (rows[None] + steps[:, None]) % replay.num_rows
            return jax.lax.map(lambda rows: observe(rows)[0], next_rows).swapaxes(0, 1)

        observation, legal = observe(rows)
        permutations = game.symmetries.actions  # [symmetries, A]
        images = jnp.asarray(np.argsort(permutations, axis=1))[symmetry]  # where each action goes
        action = jnp.take_along_axis(images, unrolled.action, axis=1)
        permutation = jnp.asarray(permutations)[symmetry][:, None]
        action_weights = jnp.take_along_axis(unrolled.action_weights, permutation, axis=2)
        return UnrolledBatch(
            observation=observation,
            legal=legal,
            targets=unrolled._replace(action=action, action_weights=action_weights),
            next_observation=observe_next() if self.consistency else None,
        )

    def loss(
        self, context: TrainContext, variables: Variables, batch: UnrolledBatch
    ) -> tuple[Losses, dict[str, Any]]:
        """Returns the loss of step 0, the mean loss of K steps, and the consistency loss."""
        observation, legal, *of_steps = batch
        # Steps before samples: [K + 1, S, ...], and [K, S, ...] of the observations.
        targets, next_observation = jax.tree.map(lambda x: x.swapaxes(0, 1), of_steps)
        planes = jnp.asarray(context.game.action_planes)[targets.action[:-1]]
        assert isinstance(context.network, ModelNetwork), "the algorithm makes no other"
        unrolled = context.network.unroll(variables, observation, planes, next_observation)
        logits, value = unrolled.outputs.policy_logits, unrolled.outputs.value
        policy_errors = optax.losses.softmax_cross_entropy(logits, targets.action_weights)
        value_errors = jnp.square(value - targets.value)
        weighted = targets.policy_weight * policy_errors
        weighted += self.value_loss_weight * targets.is_known * value_errors
        of_step = weighted.mean(axis=1)  # [K + 1]
        loss = of_step[0] + of_step[1:].sum() / self.unroll_steps
        extra = {
            "illegal_mass": jnp.where(legal, 0, jax.nn.softmax(logits[0])).sum(axis=-1).mean(),
            "value_drift": _mean_where(targets.is_ended, jnp.abs(value - targets.value)),
        }
        for step in range(1, self.unroll_steps + 1):
            error = _mean_where(targets.is_known[step], value_errors[step])
            extra[f"value_loss_{step}"] = error
        if unrolled.similarity is not None:
            is_real = (targets.is_known & ~targets.is_ended)[1:]
            consistency_loss = -(is_real * unrolled.similarity).mean()
            loss += self.consistency_loss_weight * consistency_loss
            extra["consistency_loss"] = consistency_loss
        policy_loss = (targets.policy_weight[0] * policy_errors[0]).mean()
        losses = Losses(loss, policy_loss, value_errors[0].mean(), extra)
        return losses, variables.batch_stats
