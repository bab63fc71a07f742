"""Games begin after random legal moves.

Self-play that always starts at the initial position collapses into a few lines; the network then
forgets the rest of the game, and its accuracy gets worse while its losses fall.
"""

import dataclasses
import functools
from collections.abc import Callable
from typing import Annotated, Any

import chex
import jax
import jax.numpy as jnp

from azjax.games import State, play_random_moves
from azjax.support import prng
from azjax.support.ranges import Range
from azjax.support.validation import check_above, check_share
from azjax.training.hooks import Part, TrainContext


@dataclasses.dataclass(frozen=True)
class RandomStarts(Part):
    """Games that begin after random legal moves."""

    name = "random_starts"

    fraction: Annotated[float, Range(0.25, 1.0)] = 0.8
    """Share of the games that start from a position reached by random legal moves."""
    moves: Annotated[float, Range(2.0, 40.0, log=True)] = 8.0
    """Most random moves at such a start; their number is uniform from 1 to it, at most the length
    of the longest game."""

    def check(self) -> None:
        check_share("fraction", self.fraction)
        check_above("moves", self.moves, 0)

    def start(
        self, context: TrainContext, state: Any, keys: chex.PRNGKey, inner: Callable[[], State]
    ) -> State:
        """Returns the states [B] after random moves in some of the games."""
        play = jax.vmap(functools.partial(play_random_moves, context.game))
        uniforms = prng.uniform(keys, 2 + context.game.max_moves)
        share, length, move_uniforms = uniforms[:, 0], uniforms[:, 1], uniforms[:, 2:]
        num_moves = 1 + jnp.floor(length * jnp.floor(self.moves))
        num_moves = jnp.where(share < self.fraction, num_moves, 0).astype(jnp.int32)
        return play(inner(), num_moves, move_uniforms)
