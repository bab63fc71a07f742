"""A window of the newest rows of replay, which grows with the moves made.

"Accelerating self-play learning in Go", Wu 2019, appendix C.
"""

import dataclasses
from typing import Any

import chex
import jax.numpy as jnp

from azjax.games import Game
from azjax.support.validation import check_above, check_number
from azjax.training.hooks import Part, TrainConfig, TrainContext
from azjax.training.state import Replay


@dataclasses.dataclass(frozen=True)
class GrowingWindow(Part):
    """A window of the newest rows, which grows with the moves made."""

    name = "growing_window"

    min_moves: float = 32.0
    """c, the moves of each game up to which it holds all, below replay_moves."""
    growth: float = 0.4
    """beta, by how much it grows per move at c moves."""
    exponent: float = 0.75
    """alpha; in the long run the window grows as moves^alpha."""

    def check(self) -> None:
        check_number("growth", self.growth)
        check_above("exponent", self.exponent, 0)

    def check_fit(self, config: TrainConfig, game: Game) -> None:
        """Raises ValueError if the window would always hold all of replay."""
        if not 1 <= self.min_moves < config.replay_moves:
            raise ValueError(
                f"growing_window.min_moves={self.min_moves}: must be from 1 to below "
                f"replay_moves={config.replay_moves}"
            )

    def weights(
        self, context: TrainContext, state: Any, replay: Replay, weights: chex.Array
    ) -> chex.Array:
        """Returns [C, B]: 0 outside the window."""
        window = self.window_size(replay.num_written, replay.num_rows)
        is_inside = replay.order(jnp.arange(replay.num_rows)) >= replay.num_rows - window
        return weights * is_inside[:, None]

    def window_size(self, num_written: chex.Array, num_rows: int) -> chex.Array:
        """Returns [] int32: the number of newest rows that are sampled, at most all written.

        For n rows ever written it is c * (1 + beta * ((n / c)^alpha - 1) / alpha) beyond the first
        c; its slope at n = c is beta.
        """
        c, alpha = self.min_moves, self.exponent
        growth = (jnp.maximum(num_written / c, 1.0) ** alpha - 1) / alpha
        window = c * (1 + self.growth * growth)
        return jnp.minimum(window, jnp.minimum(num_written, num_rows)).astype(jnp.int32)
