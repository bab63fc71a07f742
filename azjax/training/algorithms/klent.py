"""KLENT: learning without search, by a policy and by the values of its actions.

"Revisiting Regularized Policy Optimization for Stable and Efficient Reinforcement Learning in
Two-Player Games", Ota et al., ICML 2026 (arXiv 2602.10894). The improved policy maximizes

  E[Q(a)] - beta KL(pi' || pi) + alpha H(pi'),

so it is proportional to exp((Q + beta log pi) / (alpha + beta)). It plays, and the policy learns
it; Q learns the lambda-returns of the moves that were played. The network is evaluated once a move.
"""

import dataclasses
from collections.abc import Sequence
from typing import Annotated, ClassVar, NamedTuple

import chex
import jax
import jax.numpy as jnp

from azjax.games import Game, State
from azjax.networks import Head, Outputs, Variables
from azjax.search import SearchResult, likeliest_action, mask_illegal
from azjax.search.model import in_populations
from azjax.support.ranges import Range
from azjax.support.validation import check_above, check_number, check_share
from azjax.training.algorithms.alphazero import Batch, PolicyAndValue
from azjax.training.hooks import HEAD_HOOKS, SELF_PLAY_HOOKS, TrainConfig, TrainContext
from azjax.training.selfplay import play_itself
from azjax.training.state import (
    Games,
    Losses,
    PlayProgress,
    Positions,
    Replay,
    Searched,
    TrainState,
    Trajectory,
)
from azjax.training.targets import Targets, compute_targets

_HEAD = "q"
_OF_SEARCH = ("search", "reanalyse")  # hooks that mean nothing without one


class KlentTargets(NamedTuple):
    """What the network learns."""

    of_state: Targets  # [C, B]
    q: chex.Array  # [C, B] the lambda-return of the action that was played


class KlentBatch(NamedTuple):
    """Positions, and the action that was played in each."""

    positions: Batch
    action: chex.Array  # [S] int32
    q: chex.Array  # [S] its target

    @property
    def observation(self) -> chex.Array:
        """[S, H, W, C]."""
        return self.positions.observation


@dataclasses.dataclass(frozen=True)
class Klent(PolicyAndValue):
    """Plays itself by the improved policy, without search; the network learns policy and values."""

    name = "klent"
    hooks: ClassVar[Sequence[str]] = tuple(
        hook for hook in SELF_PLAY_HOOKS + HEAD_HOOKS if hook not in _OF_SEARCH
    )

    alpha: Annotated[float, Range(0.003, 0.3, log=True)] = 0.03
    """Weight of the improved policy's entropy."""
    beta: Annotated[float, Range(0.01, 1.0, log=True)] = 0.1
    """Weight of its divergence from the policy."""
    td_lambda: Annotated[float, Range(0.0, 1.0)] = 0.9
    """Lambda of the lambda-returns, which bootstrap from the values of improved policies."""
    q_loss_weight: Annotated[float, Range(0.25, 4.0, log=True)] = 1.0
    """Weight of the loss of action values relative to the policy loss."""
    value_loss_weight: Annotated[float, Range(0.25, 4.0, log=True)] = 1.0
    """Weight of the loss of the value, which a search at play reads."""

    def check(self) -> None:
        check_number("alpha", self.alpha)
        check_above("beta", self.beta, 0)
        check_share("td_lambda", self.td_lambda)
        for field in ("q_loss_weight", "value_loss_weight"):
            check_number(field, getattr(self, field))

    def check_fit(self, config: TrainConfig) -> None:
        """Raises ValueError if there is a search, or no value to learn."""
        own = config.search.name
        self.require(own == "policy", "search.name", own, "policy", "which learns without search")
        self.require_values(config)

    def heads(self, game: Game) -> tuple[Head, ...]:
        """Returns the head of action values, in (-1, 1), from the mover's view."""
        return (Head(_HEAD, "actions", is_bounded=True),)

    def play(
        self, context: TrainContext, state: TrainState, key: chex.PRNGKey, progress: chex.Numeric
    ) -> tuple[Games, Trajectory, PlayProgress]:
        """Plays T moves in each of B games, sampled from the improved policy."""

        def improve(
            ply_key: chex.PRNGKey, keys: chex.PRNGKey, states: State, kept: None
        ) -> Searched:
            return self.improve(context, state.actor, keys, states)

        return play_itself(
            *(context, state, state.actor, key, progress),
            temperature=1.0,
            temperature_moves=jnp.inf,
            find=improve,
        )

    def improve(
        self, context: TrainContext, variables: Variables, keys: chex.PRNGKey, states: State
    ) -> Searched:
        """Returns the improved policies of B positions, as a search would; `value` is their Q."""
        game = context.game
        apply = in_populations(context.network, context.network.apply_all)
        outputs = apply(variables, jax.vmap(game.observe)(states))
        legal = jax.vmap(game.legal_action_mask)(states)
        policy_logits = mask_illegal(outputs.policy_logits, legal)
        logits = improved_logits(policy_logits, outputs.auxiliary[_HEAD], self.alpha, self.beta)
        logits = mask_illegal(logits, legal)
        policy = jax.nn.softmax(logits)
        value = (policy * outputs.auxiliary[_HEAD]).sum(axis=-1)
        best = likeliest_action(logits, keys)
        return Searched(SearchResult(best, policy, value, None, policy_logits), jnp.float32(0))

    def compute_targets(self, context: TrainContext, replay: Replay) -> KlentTargets:
        """Returns the lambda-returns [C, B] of positions, and from them those of their moves."""
        targets, moves = compute_targets(context, replay, self.td_lambda), replay.trajectory
        following = moves.reward + moves.discount * jnp.roll(targets.value, -1, axis=0)
        is_newest = replay.order(jnp.arange(replay.num_rows))[:, None] == replay.num_rows - 1
        is_known = ~is_newest | (moves.discount == 0)
        return KlentTargets(targets, jnp.where(is_known, following, targets.value))

    def make_batch(
        self, context: TrainContext, replay: Replay, targets: KlentTargets, positions: Positions
    ) -> KlentBatch:
        """Returns the positions [S], each transformed by its symmetry."""
        rows, games, symmetry, _ = positions
        actions = jnp.asarray(context.game.symmetries.actions)[symmetry]
        played = replay.trajectory.action[rows, games]
        return KlentBatch(
            super().make_batch(context, replay, targets.of_state, positions),
            (actions == played[:, None]).argmax(axis=1).astype(jnp.int32),
            targets.q[rows, games],
        )

    def losses(self, context: TrainContext, outputs: Outputs, batch: KlentBatch) -> Losses:
        """Returns the losses of policy, value and parts, plus that of the actions' values."""
        losses = super().losses(context, outputs, batch.positions)
        of_action = jnp.take_along_axis(outputs.auxiliary[_HEAD], batch.action[:, None], axis=1)
        q_loss = jnp.square(of_action[:, 0] - batch.q).mean()
        loss = losses.loss + self.q_loss_weight * q_loss
        return losses._replace(loss=loss, extra=losses.extra | {"q_loss": q_loss})


def improved_logits(
    policy_logits: chex.Array, q: chex.Array, alpha: chex.Numeric, beta: chex.Numeric
) -> chex.Array:
    """Returns [..., A]: (Q + beta log pi) / (alpha + beta), the improved policy's up to a constant.

    Args:
      policy_logits: [..., A], ILLEGAL_LOGIT where an action is illegal.
      q: [..., A] from the view of the player to move.
      alpha: Weight of the entropy.
      beta: Weight of the divergence from the policy.
    """
    return (q + beta * jax.nn.log_softmax(policy_logits)) / (alpha + beta)
