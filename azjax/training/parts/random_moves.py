"""Some moves of self-play are random legal ones."""

import dataclasses

import chex
import jax
import jax.numpy as jnp

from azjax.support import prng
from azjax.support.validation import check_share
from azjax.training.hooks import Act, Part, TrainContext


@dataclasses.dataclass(frozen=True)
class RandomMoves(Part):
    """Random moves, by which games leave the lines that the policy is sure of."""

    name = "random_moves"

    fraction: float = 0.05
    """Share of the moves that are legal moves at random."""

    def check(self) -> None:
        check_share("fraction", self.fraction)

    def act(
        self, context: TrainContext, keys: chex.PRNGKey, legal: chex.Array, inner: Act
    ) -> chex.Array:
        """Returns the actions [B], some of them legal ones at random."""
        noise = prng.gumbel(keys, legal.shape[1] + 1)
        # The distribution function of Gumbel noise makes the last number uniform from 0 to 1.
        noise, uniform = noise[:, :-1], jnp.exp(-jnp.exp(-noise[:, -1]))
        random = jnp.where(legal, noise, -jnp.inf).argmax(axis=-1).astype(jnp.int32)
        return jax.lax.select(uniform < self.fraction, random, inner())
