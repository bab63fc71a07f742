"""AlphaGo's first stage: a policy that imitates the moves of recorded games.

"Mastering the game of Go with deep neural networks and tree search", Silver et al., Nature 2016.
Replay holds the games from the start; every iteration samples from all of their moves.
"""

import dataclasses
from typing import Any, ClassVar

import chex
import jax
import jax.numpy as jnp

from azjax.training.algorithms.alphazero import alphazero_loss, make_batch
from azjax.training.algorithms.reinforce import check_policy
from azjax.training.config import TrainConfig
from azjax.training.hooks import Algorithm, Losses, TrainContext
from azjax.training.replay.targets import Targets, compute_targets
from azjax.training.state import Games, PlayProgress, Positions, Replay, TrainState, Trajectory


@dataclasses.dataclass(frozen=True)
class SupervisedPolicy(Algorithm):
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
        del context, key, progress
        moves = state.replay.trajectory
        return state.games, moves, PlayProgress(_game_lengths(moves), jnp.float32(0))

    def compute_targets(self, context: TrainContext, replay: Replay) -> Targets:
        """Returns value targets [C, B], which nothing learns."""
        return compute_targets(context, replay, 1.0)

    def make_batch(
        self, context: TrainContext, replay: Replay, targets: Targets, positions: Positions
    ) -> Any:
        """Returns the positions [S] of replay as a batch."""
        return make_batch(context, replay, targets, positions)

    def loss(
        self, params: dict[str, Any], batch_stats: dict[str, Any], context: TrainContext, batch: Any
    ) -> tuple[chex.Array, tuple[Losses, dict[str, Any]]]:
        """Returns the cross-entropy with the moves played."""
        return alphazero_loss(params, batch_stats, context, batch, value_loss_weight=0.0)


def _game_lengths(moves: Trajectory) -> chex.Array:
    """Returns [C, B] int32: the moves of the game that a move ended; 0 where it ended none."""
    is_end = moves.discount == 0
    number = 1 + jnp.arange(len(is_end), dtype=jnp.int32)[:, None]
    last_end = jax.lax.cummax(jnp.where(is_end, number, 0), axis=0)
    before = jnp.concatenate([jnp.zeros_like(last_end[:1]), last_end[:-1]])
    return jnp.where(is_end, number - before, 0)
