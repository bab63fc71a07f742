"""Playout cap randomization: most moves are searched fast, and learn no policy.

"Accelerating Self-Play Learning in Go", Wu 2019, section 3.1. Games that are played side by side
wait for the longest search, so a ply is searched fast in all of them, or in full in all of them.
"""

import dataclasses
from collections.abc import Callable
from typing import ClassVar

import chex
import jax
import jax.numpy as jnp

from azjax.games import Game
from azjax.search import Search
from azjax.support.validation import check_above, check_share, check_size
from azjax.training.hooks import Part, Ply, TrainConfig, TrainContext
from azjax.training.state import Move, Searched


@dataclasses.dataclass(frozen=True)
class PlayoutCaps(Part):
    """Two searches: a full one, and a fast one at full strength, without noise."""

    name = "playout_caps"
    weighs_policy: ClassVar[bool] = True

    fast_simulations: int = 4
    """Simulations of the fast search."""
    full_share: float = 0.25
    """Share of the moves that are searched in full."""

    def check(self) -> None:
        check_size("fast_simulations", self.fast_simulations, 1, 2**20)
        check_share("full_share", self.full_share)
        check_above("full_share", self.full_share, 0)

    def check_fit(self, config: TrainConfig, game: Game) -> None:
        """Raises ValueError if the fast search makes more simulations than the full one."""
        most = config.search.num_simulations
        check_size("playout_caps.fast_simulations", self.fast_simulations, 1, most)

    def search(
        self, context: TrainContext, ply: Ply, inner: Callable[[Search], Searched], config: Search
    ) -> Searched:
        """Searches a ply in full, or fast; the mean weight of policy targets is 1."""
        own = context.config.search.without_noise()
        fast = dataclasses.replace(own, num_simulations=self.fast_simulations)

        def search_in_full() -> Searched:
            found = inner(config)
            return found._replace(policy_weight=found.policy_weight / self.full_share)

        def search_fast() -> Searched:
            return ply.run(fast)._replace(policy_weight=jnp.float32(0))

        is_full = jax.random.uniform(ply.key) < self.full_share
        return jax.lax.cond(is_full, search_in_full, search_fast)

    def record_move(self, context: TrainContext, move: Move) -> dict[str, chex.Array]:
        """Records the weights [B] of the moves' policy targets."""
        weight = move.searched.policy_weight
        return {"policy_weight": jnp.full(move.action.shape, weight, jnp.float32)}
