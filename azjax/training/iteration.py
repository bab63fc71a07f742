"""One iteration of training: self-play, reanalyse, then learning, one program on the device."""

import chex
import jax
import jax.numpy as jnp

from azjax.support.returned import check_returned
from azjax.training.config import Hyperparameters, TrainConfig
from azjax.training.context import make_context
from azjax.training.learning.learner import init_learner, learn
from azjax.training.metrics import Metrics, compute_metrics
from azjax.training.replay.replay import init_replay, insert
from azjax.training.selfplay.games import init_games
from azjax.training.selfplay.reanalyse import reanalyse
from azjax.training.state import Games, PlayProgress, TrainState, Trajectory


def init_train_state(
    config: TrainConfig, hyperparameters: Hyperparameters, key: chex.PRNGKey
) -> TrainState:
    """Returns the initial state of a run; the key is the source of all its randomness."""
    context = make_context(config)
    network_key, run_key = jax.random.split(key)
    learner = init_learner(context, hyperparameters, network_key)
    freeze = context.algorithm.freeze
    return TrainState(
        learner=learner,
        champion=learner.ema_variables if config.gating_games else None,
        games=init_games(context),
        replay=init_replay(context),
        key=run_key,
        iteration=jnp.int32(0),
        frozen=freeze(context, learner.variables) if freeze else None,
    )


def train_iteration(
    config: TrainConfig,
    hyperparameters: Hyperparameters,
    state: TrainState,
    budget_share: chex.Numeric,
    *,
    axis_name: str | None = None,
) -> tuple[TrainState, Metrics]:
    """Plays T moves in every game, reanalyses, and learns from replay. Pure; `config` is static.

    `budget_share` is the share of the run's length that is done, from 0 to 1: the schedules of
    the learning rate and of simulations follow it.

    It may be vmapped over hyperparameters and states. Under a mapped axis over devices, `state`
    holds this device's games and their replay, and the same learner on all devices.
    """
    context = make_context(config, axis_name)
    play_key, learn_key, next_key = jax.random.split(state.key, 3)
    algorithm = context.algorithm
    result = algorithm.play(context, hyperparameters, state, play_key, budget_share)
    check_returned("result of the algorithm's play", result, [Games, Trajectory, PlayProgress])
    games, trajectory, played = result
    replay = insert(state.replay, trajectory)
    if config.num_reanalysed_moves:
        replay = reanalyse(context, hyperparameters, state, replay, budget_share)
    learner, learned = learn(
        context, hyperparameters, state.learner, replay, learn_key, budget_share
    )
    metrics = compute_metrics(context, learned, trajectory, played)
    next_state = state._replace(
        learner=learner,
        games=games,
        replay=replay,
        key=next_key,
        iteration=state.iteration + 1,
    )
    if algorithm.renew:
        next_state = next_state._replace(frozen=algorithm.renew(context, next_state))
    return next_state, metrics
