"""AlphaGo's first stage: a policy that imitates the moves of recorded games.

"Mastering the game of Go with deep neural networks and tree search", Silver et al., Nature 2016.
Replay holds the games from the start; every iteration samples from all of their moves.
"""

import dataclasses

import chex
import jax.numpy as jnp

from azjax.training.algorithms.alphazero import alphazero
from azjax.training.algorithms.reinforce import check_policy
from azjax.training.config import Hyperparameters
from azjax.training.context import TrainContext
from azjax.training.selfplay.games import PlayProgress
from azjax.training.state import Games, TrainState, Trajectory


def _play(
    context: TrainContext,
    hyperparameters: Hyperparameters,
    state: TrainState,
    key: chex.PRNGKey,
    budget_share: chex.Numeric,
) -> tuple[Games, Trajectory, PlayProgress]:
    """Plays nothing: returns the games as they are, and all that replay holds."""
    del context, hyperparameters, key, budget_share
    moves = state.replay.trajectory
    lengths = jnp.zeros(moves.reward.shape, jnp.int32)
    return state.games, moves, PlayProgress(lengths, jnp.float32(0))


# A policy's loss is AlphaZero's: the cross-entropy with the moves played.
supervised_policy = dataclasses.replace(
    alphazero,
    options=("network.value_head", "network.equivariant"),
    hyperparameters=(),
    check=check_policy,
    play=_play,
    learns_from_games=True,
)
