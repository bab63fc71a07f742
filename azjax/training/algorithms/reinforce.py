"""REINFORCE: what every policy gradient learns from its games.

"Simple Statistical Gradient-Following Algorithms for Connectionist Reinforcement Learning",
Williams 1992. The network is a policy alone; illegal moves have no part in its softmax.
"""

import dataclasses
from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, NamedTuple

import chex
import jax
import jax.numpy as jnp

from azjax.networks import Variables
from azjax.search import mask_illegal
from azjax.support.ranges import Range
from azjax.support.validation import check_number, check_share
from azjax.training.collectives import mean_over_devices
from azjax.training.hooks import Algorithm, TrainConfig, TrainContext
from azjax.training.state import Losses, Positions, Replay
from azjax.training.symmetries import transform_positions
from azjax.training.targets import lambda_returns


class ReturnTargets(NamedTuple):
    """Of each move of the policy."""

    advantage: chex.Array  # [...] the return less the mean of all; 0 where it is not known
    returns: chex.Array  # [...] the game's result for the policy, discounted; 0 if not known
    is_known: chex.Array  # [...] bool


class ActionBatch(NamedTuple):
    """Positions, and the actions that the policy sampled there."""

    observation: chex.Array  # [S, H, W, C]
    legal: chex.Array  # [S, A] bool
    action: chex.Array  # [S] int32
    targets: ReturnTargets  # [S]


def check_policy(config: TrainConfig) -> None:
    """Raises ValueError unless the network is a policy."""
    head, reason = config.network.value_head, "whose network is a policy alone"
    config.algorithm.require(head == "none", "network.value_head", head, "'none'", reason)


@dataclasses.dataclass(frozen=True)
class Reinforce(Algorithm):
    """Learns a policy from the results of its games; subclasses say against whom they are."""

    hooks: ClassVar[Sequence[str]] = ("start",)

    result_discount: Annotated[float, Range(0.8, 1.0)] = 0.95
    """Discount of a game's result per move of the policy."""
    entropy_weight: Annotated[float, Range(1e-3, 0.1, log=True)] = 0.03
    """Weight of the policy's entropy, which keeps it from being sure too soon."""

    def check(self) -> None:
        check_share("result_discount", self.result_discount)
        check_number("entropy_weight", self.entropy_weight)

    def check_fit(self, config: TrainConfig) -> None:
        """Raises ValueError unless the network is a policy, and replay an iteration's moves."""
        check_policy(config)
        file, moves, of_replay = config.replay, config.num_moves, config.replay_moves
        reason = "which learns from moves of its own"
        self.require(file is None, "replay", file, "left out", reason)
        self.require(of_replay == moves, "replay_moves", of_replay, f"num_moves={moves}")

    def compute_targets(self, context: TrainContext, replay: Replay) -> ReturnTargets:
        """Returns [T, B]: the results of games that have ended, discounted per move of the policy.

        Their mean is subtracted as a baseline. Moves of games that have not ended are left out,
        which counts short games more often; with more moves to an iteration they are fewer.
        """
        moves = replay.trajectory
        discount = self.result_discount * moves.discount
        returns = lambda_returns(moves.reward, discount, jnp.zeros_like(discount), 0.0)
        is_end = (moves.discount == 0).astype(jnp.int32)
        is_known = jax.lax.cummax(is_end, axis=0, reverse=True) > 0
        returns = jnp.where(is_known, returns, 0)
        means = jnp.stack([returns.mean(), is_known.mean()])
        mean, share = mean_over_devices(means, context.axis_name)
        baseline = mean / jnp.maximum(share, 1e-6)
        return ReturnTargets(jnp.where(is_known, returns - baseline, 0), returns, is_known)

    def make_batch(
        self, context: TrainContext, replay: Replay, targets: ReturnTargets, positions: Positions
    ) -> ActionBatch:
        """Returns the positions [S] of replay, each transformed by its symmetry."""
        game, (rows, games, symmetry, _) = context.game, positions
        moves = replay.trajectory
        states = jax.tree.map(lambda x: x[rows, games], moves.state)
        observation, legal = transform_positions(game, states, symmetry)
        actions = jnp.asarray(game.symmetries.actions)[symmetry]
        action = moves.action[rows, games]
        return ActionBatch(
            observation=observation,
            legal=legal,
            action=(actions == action[:, None]).argmax(axis=1).astype(jnp.int32),
            targets=jax.tree.map(lambda x: x[rows, games], targets),
        )

    def loss(
        self, context: TrainContext, variables: Variables, batch: ActionBatch
    ) -> tuple[Losses, dict[str, Any]]:
        """Returns -advantage * log p(action) - w * entropy, mean over the batch.

        The entropy keeps a policy that has won by chance from being sure of it: then it samples
        nothing else, and learns no more.
        """
        outputs, batch_stats = context.network.apply_train(
            variables, batch.observation, context.axis_name
        )
        log_policy = jax.nn.log_softmax(mask_illegal(outputs.policy_logits, batch.legal))
        of_action = jnp.take_along_axis(log_policy, batch.action[:, None], axis=1)[:, 0]
        policy_loss = -(batch.targets.advantage * of_action).mean()
        entropy = -jnp.where(batch.legal, jnp.exp(log_policy) * log_policy, 0).sum(axis=-1).mean()
        loss = policy_loss - self.entropy_weight * entropy
        num_known = jnp.maximum(batch.targets.is_known.sum(), 1)
        extra = {"mean_return": batch.targets.returns.sum() / num_known}
        return Losses(loss, policy_loss, jnp.zeros(()), extra), batch_stats
