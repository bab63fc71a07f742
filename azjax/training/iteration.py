"""One iteration of training: self-play, then learning, one compiled program on the device."""

import chex
import jax
import jax.numpy as jnp

from azjax import games
from azjax.games import Game
from azjax.networks import Network, check_equivariance, make_network
from azjax.training.config import Hyperparameters, TrainConfig
from azjax.training.equivariance import board_symmetries
from azjax.training.learning import init_learner, learn
from azjax.training.metrics import Metrics, compute_metrics
from azjax.training.replay import init_replay, insert
from azjax.training.selfplay import init_games, play
from azjax.training.state import TrainState


def make_game_and_network(config: TrainConfig) -> tuple[Game, Network]:
    """Makes what the configuration names.

    Raises:
      ValueError: There is no such game, or its symmetries do not fit an equivariant network.
    """
    game = games.make(config.game)
    check_equivariance(config.network, board_symmetries(game))
    return game, make_network(config.network, game.observation_shape, game.num_actions)


def init_train_state(
    config: TrainConfig, hyperparameters: Hyperparameters, key: chex.PRNGKey
) -> TrainState:
    """Returns the state in which a run begins: all randomness of the run comes from the key."""
    game, network = make_game_and_network(config)
    network_key, run_key = jax.random.split(key)
    learner = init_learner(game, network, hyperparameters, network_key)
    return TrainState(
        learner=learner,
        champion=learner.ema_variables if config.gating_games else None,
        games=init_games(game, config.num_games),
        replay=init_replay(game, config),
        key=run_key,
        iteration=jnp.int32(0),
    )


def train_iteration(
    config: TrainConfig,
    hyperparameters: Hyperparameters,
    state: TrainState,
    *,
    axis_name: str | None = None,
) -> tuple[TrainState, Metrics]:
    """Plays T moves in every game, then learns from replay. Pure; `config` is static.

    It may be vmapped over hyperparameters and states. Under a mapped axis over devices, `state`
    holds this device's games and their replay, and the same learner on all devices.
    """
    game, network = make_game_and_network(config)
    play_key, learn_key, next_key = jax.random.split(state.key, 3)
    in_flight, (trajectory, lengths) = play(
        game,
        network,
        config,
        hyperparameters,
        state.acting,
        state.games,
        play_key,
        axis_name,
    )
    replay = insert(state.replay, trajectory)
    learner, progress = learn(
        game, network, config, hyperparameters, state.learner, replay, learn_key, axis_name
    )
    metrics = compute_metrics(game, progress, trajectory, lengths, axis_name)
    after = state._replace(
        learner=learner,
        games=in_flight,
        replay=replay,
        key=next_key,
        iteration=state.iteration + 1,
    )
    return after, metrics
