"""Learning without search: a policy and action values, by regularized policy improvement.

The improved policy, proportional to exp((Q + beta log pi) / (alpha + beta)), plays and is what the
policy learns; Q learns from lambda-returns ("Revisiting Regularized Policy Optimization", Ota et
al., arXiv 2602.10894).
"""

import dataclasses
from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import optax

from azjax.networks import Head, make_network
from azjax.search import discount_of_mover, mask_illegal, reward_of_mover
from azjax.support.component import register
from azjax.support.ranges import Range
from azjax.training.algorithms.alphazero import PolicyAndValue
from azjax.training.collectives import split_over_games
from azjax.training.policy_games import sample_from_logits
from azjax.training.selfplay import replace_finished, start_games
from azjax.training.state import Games, Losses, PlayProgress, Trajectory
from azjax.training.targets import compute_targets


class Targets(NamedTuple):
    """What the network learns."""

    of_state: Any  # [C, B] of the state's value
    q: jax.Array  # [C, B] of the action played


class Batch(NamedTuple):
    """Positions, the action played in each, and the target of its value."""

    positions: Any
    action: jax.Array  # [S]
    q: jax.Array  # [S]

    @property
    def observation(self):
        """[S, H, W, C]."""
        return self.positions.observation


@register
@dataclasses.dataclass(frozen=True)
class RegularizedPolicy(PolicyAndValue):
    """Plays itself by the improved policy."""

    name = "regularized_policy"
    hooks: ClassVar[Sequence[str]] = ("start",)

    alpha: Annotated[float, Range(0.003, 0.3, log=True)] = 0.03
    """Temperature of the entropy."""
    beta: Annotated[float, Range(0.01, 1.0, log=True)] = 0.1
    """Temperature of the divergence from the policy."""

    def make_network(self, config, game):
        """Returns a network with a head of action values."""
        heads = (Head("action_values", "actions", is_bounded=True),)
        return make_network(config.network, game.observation_shape, game.num_actions, heads)

    def improve(self, network, variables, observation, legal):
        """Returns the logits of the improved policy, and the action values, [B, A] each."""
        outputs, _ = network.apply_train(variables, observation)
        log_policy = jax.nn.log_softmax(mask_illegal(outputs.policy_logits, legal))
        q = outputs.auxiliary["action_values"]
        improved = (q + self.beta * log_policy) / (self.alpha + self.beta)
        return mask_illegal(improved, legal), q

    def play(self, context, state, key, progress):
        """Plays T moves in each of B games, sampled from the improved policy."""
        game, config = context.game, context.config

        def move(games, keys):
            init_keys, start_keys, action_keys = jnp.unstack(keys, axis=1)
            games = replace_finished(games, start_games(context, state, init_keys, start_keys))
            observation = jax.vmap(game.observe)(games.state)
            legal = jax.vmap(game.legal_action_mask)(games.state)
            logits, q = self.improve(context.network, state.actor, observation, legal)
            actions = sample_from_logits(action_keys, logits)
            after = jax.vmap(game.step)(games.state, actions)
            policy = jax.nn.softmax(logits)
            row = Trajectory(
                state=games.state,
                action=actions.astype(jnp.int16),
                action_weights=policy,
                search_value=(policy * q).sum(axis=-1),
                reward=reward_of_mover(games.state, after),
                discount=discount_of_mover(games.state, after),
                records={},
            )
            age = games.age + 1
            return Games(after, age), (row, jnp.where(after.terminated, age, 0))

        keys = split_over_games(key, (config.num_moves, config.num_games, 3), context.axis_name)
        games, (moves, lengths) = jax.lax.scan(move, state.games, keys)
        return games, moves, PlayProgress(lengths, jnp.float32(0))

    def compute_targets(self, context, replay):
        """Returns the lambda-returns of states, and from them those of the actions played."""
        targets, moves = compute_targets(context, replay, td_lambda=0.9), replay.trajectory
        following = moves.reward + moves.discount * jnp.roll(targets.value, -1, axis=0)
        is_newest = replay.order(jnp.arange(replay.num_rows))[:, None] == replay.num_rows - 1
        is_known = ~is_newest | (moves.discount == 0)
        return Targets(targets, jnp.where(is_known, following, targets.value))

    def make_batch(self, context, replay, targets, positions):
        """Returns the positions [S], each transformed by its symmetry."""
        rows, games, symmetry, _ = positions
        actions = jnp.asarray(context.game.symmetries.actions)[symmetry]
        played = replay.trajectory.action[rows, games]
        return Batch(
            super().make_batch(context, replay, targets.of_state, positions),
            (actions == played[:, None]).argmax(axis=1),
            targets.q[rows, games],
        )

    def loss(self, context, variables, batch):
        """Returns the cross-entropy with the improved policy, and squared errors of both values."""
        positions, action, q = batch
        outputs, batch_stats = context.network.apply_train(
            variables, positions.observation, context.axis_name
        )
        logits = mask_illegal(outputs.policy_logits, positions.legal)
        errors = optax.losses.safe_softmax_cross_entropy(logits, positions.action_weights)
        of_action = jnp.take_along_axis(outputs.auxiliary["action_values"], action[:, None], axis=1)
        q_loss = jnp.square(of_action[:, 0] - q).mean()
        value_loss = jnp.square(outputs.value - positions.targets.value).mean()
        loss = errors.mean() + value_loss + q_loss
        return Losses(loss, errors.mean(), value_loss, {"q_loss": q_loss}), batch_stats
