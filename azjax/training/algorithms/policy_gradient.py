"""A policy gradient by rounds: REINFORCE against a search with a frozen copy of the policy.

"Simple Statistical Gradient-Following Algorithms for Connectionist Reinforcement Learning",
Williams 1992. The network is a policy alone. Its opponent searches with the copy that passed the
last round's test; from round to round it makes more rollouts and trusts the copy's prior more. Who
renews the copy is told by `runs/gating.py`.
"""

import functools
import math
from typing import Any, NamedTuple

import chex
import jax
import jax.numpy as jnp

from azjax.games import Game
from azjax.networks import Network, Variables, check_equivariance, make_network
from azjax.search import (
    TreeSearch,
    evaluate_with_network,
    get_search,
    mask_illegal,
    network_model,
    reward_of_mover,
)
from azjax.support import prng
from azjax.training.algorithms.algorithm import Algorithm
from azjax.training.collectives import local_shard, mean_over_devices
from azjax.training.config import Hyperparameters, TrainConfig
from azjax.training.context import TrainContext
from azjax.training.learning.equivariance import board_symmetries
from azjax.training.learning.loss import transform_boards
from azjax.training.learning.losses import Losses
from azjax.training.replay.actions import empty_action_record, record_action
from azjax.training.replay.positions import Positions
from azjax.training.replay.targets import lambda_returns
from azjax.training.selfplay.games import PlayProgress, replace_finished, start_games
from azjax.training.selfplay.rounds import round_numbers, round_simulations
from azjax.training.state import Games, Move, Replay, TrainState, Trajectory


class ReturnTargets(NamedTuple):
    """Of each move of the policy."""

    advantage: chex.Array  # [...] the discounted result less its mean; 0 where it is not known
    result: chex.Array  # [...] of the game for the policy, discounted


class ActionBatch(NamedTuple):
    """Positions, and the actions that the policy sampled there."""

    observation: chex.Array  # [S, H, W, C]
    legal: chex.Array  # [S, A] bool
    action: chex.Array  # [S] int32
    targets: ReturnTargets  # [S]


def _check(config: TrainConfig) -> None:
    if config.network.value_head != "none":
        raise ValueError(
            f"network.value_head={config.network.value_head!r}: must be 'none' for algorithm "
            f"{config.algorithm}, whose network is a policy alone"
        )
    if config.replay_moves != config.num_moves:
        raise ValueError(
            f"replay_moves={config.replay_moves}: must be num_moves={config.num_moves} for "
            f"algorithm {config.algorithm}, which learns from its newest games alone"
        )
    if not isinstance(get_search(config.search.algorithm), TreeSearch):
        raise ValueError(
            f"search.algorithm={config.search.algorithm!r}: must be a tree search for algorithm "
            f"{config.algorithm}"
        )


def _make_network(config: TrainConfig, game: Game) -> Network:
    check_equivariance(config.network, board_symmetries(game))
    return make_network(config.network, game.observation_shape, game.num_actions)


def _play(
    context: TrainContext,
    hyperparameters: Hyperparameters,
    state: TrainState,
    key: chex.PRNGKey,
    budget_share: chex.Numeric,
) -> tuple[Games, Trajectory, PlayProgress]:
    """Plays T moves of the policy in each of B games; the opponent answers each.

    The policy is to move wherever a game begins, in either seat; it samples its moves. A row of
    the trajectory leads from one of its moves to its next.
    """
    del budget_share
    config, game, opponent = context.config, context.game, state.opponent
    assert opponent is not None, "the algorithm has rounds"
    evaluate = evaluate_with_network(game, context.network)
    find = functools.partial(
        get_search(config.search.algorithm), network_model(game, context.network), config.search
    )
    numbers = round_numbers(config, hyperparameters, opponent.round)
    num_simulations = round_simulations(config, opponent.round)

    def move(games: Games, keys: chex.PRNGKey) -> tuple[Games, tuple[Trajectory, chex.Array]]:
        start_keys, action_keys, search_keys = keys[:, :2], keys[:, 2], keys[:, 3]  # of [B, 4]
        games = replace_finished(games, start_games(game, hyperparameters, start_keys))
        logits = evaluate(state.learner.variables, action_keys, games.state).prior_logits
        sampled = logits + prng.gumbel(action_keys, game.num_actions)
        actions = sampled.argmax(axis=-1).astype(jnp.int32)
        moved = jax.vmap(game.step)(games.state, actions)
        searched = find(
            numbers, opponent.variables, search_keys, moved, num_simulations=num_simulations
        )
        after = jax.vmap(game.step)(moved, searched.action)  # a finished game stays as it is
        row = Trajectory(
            state=games.state,
            action_weights=jax.nn.softmax(logits),
            search_value=jnp.zeros(len(actions)),
            reward=reward_of_mover(games.state, after),
            discount=jnp.where(after.terminated, 0.0, 1.0),
            extra=record_action(context, Move(games.state, actions, searched, after)),
        )
        lengths = jnp.where(after.terminated, games.age, 0)
        return Games(after, games.age + 1), (row, lengths)

    shape = config.num_moves, config.num_games, 4
    keys = jax.random.split(key, math.prod(shape)).reshape(shape)
    keys = local_shard(keys, context.axis_name)
    games, (trajectory, lengths) = jax.lax.scan(move, state.games, keys)
    return games, trajectory, PlayProgress(lengths, num_simulations.astype(jnp.float32))


def _compute_targets(
    context: TrainContext, hyperparameters: Hyperparameters, replay: Replay
) -> ReturnTargets:
    """Returns [T, B]: the results of games that have ended, discounted per move of the policy.

    Their mean is subtracted: a baseline, which changes no expectation of the gradient.
    """
    moves = replay.trajectory
    discount = hyperparameters.result_discount * moves.discount
    returns = lambda_returns(moves.reward, discount, jnp.zeros_like(discount), 0.0)
    is_known = jax.lax.cummax((moves.discount == 0).astype(jnp.int32), axis=0, reverse=True) > 0
    sums = jnp.stack([jnp.where(is_known, returns, 0).mean(), is_known.mean()])
    total, share = mean_over_devices(sums, context.axis_name)
    advantage = jnp.where(is_known, returns - total / jnp.maximum(share, 1e-6), 0)
    return ReturnTargets(advantage, jnp.where(is_known, returns, 0))


def _make_batch(
    context: TrainContext, replay: Replay, targets: ReturnTargets, positions: Positions
) -> ActionBatch:
    """Returns the positions [S] of replay, each transformed by its symmetry."""
    game, (rows, envs, symmetry, _) = context.game, positions
    moves = replay.trajectory
    assert moves.extra is not None, "actions are recorded"
    states = jax.tree.map(lambda x: x[rows, envs], moves.state)
    cells = jnp.asarray(game.symmetries.cells)[symmetry]
    actions = jnp.asarray(game.symmetries.actions)[symmetry]
    legal = jax.vmap(game.legal_action_mask)(states)
    action = moves.extra["action"][rows, envs]
    return ActionBatch(
        observation=transform_boards(jax.vmap(game.observe)(states), cells),
        legal=jnp.take_along_axis(legal, actions, axis=1),
        action=(actions == action[:, None]).argmax(axis=1).astype(jnp.int32),
        targets=jax.tree.map(lambda x: x[rows, envs], targets),
    )


def _loss(
    params: dict[str, Any],
    batch_stats: dict[str, Any],
    context: TrainContext,
    batch: ActionBatch,
    hyperparameters: Hyperparameters,
) -> tuple[chex.Array, tuple[Losses, dict[str, Any]]]:
    """Returns -advantage * log p(action), mean over the batch; illegal actions have no part."""
    del hyperparameters
    outputs, batch_stats = context.network.apply_train(
        Variables(params, batch_stats), batch.observation, context.axis_name
    )
    log_policy = jax.nn.log_softmax(mask_illegal(outputs.policy_logits, batch.legal))
    of_action = jnp.take_along_axis(log_policy, batch.action[:, None], axis=1)[:, 0]
    loss = -(batch.targets.advantage * of_action).mean()
    extra = {"mean_return": batch.targets.result.mean()}
    return loss, (Losses(loss, loss, jnp.zeros(()), extra), batch_stats)


policy_gradient = Algorithm(
    options=("rounds", "network.value_head", "network.equivariant"),
    check=_check,
    make_network=_make_network,
    play=_play,
    record=record_action,
    empty_record=empty_action_record,
    compute_targets=_compute_targets,
    make_batch=_make_batch,
    loss=_loss,
    extra_metrics=lambda config: ("mean_return",),
    has_rounds=True,
)
