"""AlphaGo's first stage: a policy that imitates the moves of recorded games.

"Mastering the game of Go with deep neural networks and tree search", Silver et al., Nature 2016.
Replay holds the games from the start; every iteration samples from all of their moves.
"""

import dataclasses
from typing import ClassVar

import chex
import jax
import jax.numpy as jnp

from azjax.training.algorithms.alphazero import PolicyAndValue
from azjax.training.algorithms.reinforce import check_policy
from azjax.training.hooks import TrainConfig, TrainContext
from azjax.training.state import Games, PlayProgress, TrainState, Trajectory


@dataclasses.dataclass(frozen=True)
class SupervisedPolicy(PolicyAndValue):
    """Learns the moves of recorded games, by the cross-entropy that is AlphaZero's."""

    name = "supervised_policy"
    learns_from_games: ClassVar[bool] = True

    def check_fit(self, config: TrainConfig) -> None:
        """Raises ValueError unless the network is a policy, and replay an iteration's moves."""
        check_policy(config)

    def play(
        self, context: TrainContext, state: TrainState, key: chex.PRNGKey, progress: chex.Numeric
    ) -> tuple[Games, Trajectory, PlayProgress]:
        """Plays nothing: returns the games as they are, and all that replay holds.

        So the metrics count all recorded games as finished in every iteration.
        """
        moves = state.replay.trajectory
        return state.games, moves, PlayProgress(_game_lengths(moves), jnp.float32(0))


def _game_lengths(moves: Trajectory) -> chex.Array:
    """Returns [C, B] int32: the moves of the game that a move ended; 0 where it ended none."""
    is_end = moves.discount == 0
    number = 1 + jnp.arange(len(is_end), dtype=jnp.int32)[:, None]
    last_end = jax.lax.cummax(jnp.where(is_end, number, 0), axis=0)
    before = jnp.concatenate([jnp.zeros_like(last_end[:1]), last_end[:-1]])
    return jnp.where(is_end, number - before, 0)
