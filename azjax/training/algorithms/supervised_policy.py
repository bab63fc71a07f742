"""AlphaGo's first stage: a policy that imitates the moves of recorded games.

"Mastering the game of Go with deep neural networks and tree search", Silver et al., Nature 2016.
Replay holds the games from the start; every iteration samples from all of their moves.
"""

import dataclasses

import chex
import jax
import jax.numpy as jnp

from azjax.training.algorithms.algorithm import TrainContext
from azjax.training.algorithms.alphazero import alphazero
from azjax.training.algorithms.reinforce import check_policy
from azjax.training.config import Hyperparameters
from azjax.training.state import Games, PlayProgress, TrainState, Trajectory


def _play(
    context: TrainContext,
    hyperparameters: Hyperparameters,
    state: TrainState,
    key: chex.PRNGKey,
    budget_share: chex.Numeric,
) -> tuple[Games, Trajectory, PlayProgress]:
    """Plays nothing: returns the games as they are, and all that replay holds.

    So the metrics count all recorded games as finished in every iteration.
    """
    del context, hyperparameters, key, budget_share
    moves = state.replay.trajectory
    return state.games, moves, PlayProgress(_game_lengths(moves), jnp.float32(0))


def _game_lengths(moves: Trajectory) -> chex.Array:
    """Returns [C, B] int32: the moves of the game that a move ended; 0 where it ended none."""
    is_end = moves.discount == 0
    number = 1 + jnp.arange(len(is_end), dtype=jnp.int32)[:, None]
    last_end = jax.lax.cummax(jnp.where(is_end, number, 0), axis=0)
    before = jnp.concatenate([jnp.zeros_like(last_end[:1]), last_end[:-1]])
    return jnp.where(is_end, number - before, 0)


# A policy's loss is AlphaZero's: the cross-entropy with the moves played.
supervised_policy = dataclasses.replace(
    alphazero,
    options=("network.value_head", "network.equivariant"),
    hyperparameters=(),
    check=check_policy,
    play=_play,
    learns_from_games=True,
)
