"""One iteration of training: self-play, reanalyse, then learning, one program on the device."""

import chex
import jax
import jax.numpy as jnp

from azjax.support.returned import check_returned
from azjax.training.context import make_context
from azjax.training.hooks import TrainConfig
from azjax.training.learner import init_learner, learn
from azjax.training.metrics import Metrics, compute_metrics
from azjax.training.replay import init_replay, insert, recorded_moves
from azjax.training.selfplay import init_games
from azjax.training.state import Games, PlayProgress, TrainState, Trajectory


def init_train_state(config: TrainConfig, key: chex.PRNGKey) -> TrainState:
    """Returns the initial state of a run; the key is the source of all its randomness."""
    context = make_context(config)
    network_key, run_key = jax.random.split(key)
    learner = init_learner(context, network_key)
    best = [part.init_best(learner) for part in context.parts("init_best")]
    parts = {part.name: part.init(context) for part in context.parts("init")}
    return TrainState(
        learner=learner,
        best=best[0] if best else None,
        games=init_games(context),
        replay=init_replay(context),
        key=run_key,
        iteration=jnp.int32(0),
        opponent=context.config.algorithm.init_opponent(context, learner.variables),
        parts=parts,
    )


def train_iteration(
    config: TrainConfig, state: TrainState, progress: chex.Numeric, *, axis_name: str | None = None
) -> tuple[TrainState, Metrics]:
    """Plays T moves in every game, reanalyses, and learns from replay. Pure.

    Where replay is a file's, nothing is played, and metrics of play are of T of its moves.

    `progress` is the share of the run's length that is done, from 0 to 1: schedules follow it.

    It may be vmapped over the configuration's numbers, states and progress. Under a mapped axis
    over devices, `state` holds this device's games and their replay, and the same learner on all
    devices.
    """
    context = make_context(config, axis_name)
    play_key, learn_key, next_key = jax.random.split(state.key, 3)
    if context.config.replay is None:
        result = context.config.algorithm.play(context, state, play_key, progress)
        check_returned("result of the algorithm's play", result, [Games, Trajectory, PlayProgress])
        games, trajectory, played = result
        replay = insert(state.replay, trajectory)
    else:
        games, replay = state.games, state.replay
        trajectory, played = recorded_moves(context, state)
    for part in context.parts("reanalyse"):
        replay = part.reanalyse(context, state, replay, progress)
    learner, parts, learned = learn(context, state, replay, learn_key, progress)
    next_state = state._replace(
        learner=learner,
        games=games,
        replay=replay,
        key=next_key,
        iteration=state.iteration + 1,
        parts=parts,
    )
    opponent = context.config.algorithm.update_opponent(context, next_state)
    for part in context.parts("after"):
        parts = parts | {part.name: part.after(context, parts.get(part.name), next_state)}
    next_state = next_state._replace(opponent=opponent, parts=parts)
    return next_state, compute_metrics(context, learned, trajectory, played)
