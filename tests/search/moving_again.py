"""A game in which the mover may keep the turn, as in Kalah or dots and boxes."""

import dataclasses
from typing import NamedTuple

import chex
import jax
import jax.numpy as jnp

KEEP, PASS = 0, 1


class CountdownState(NamedTuple):
    current_player: chex.Array
    terminated: chex.Array
    rewards: chex.Array
    left: chex.Array  # [] int32


@dataclasses.dataclass(frozen=True)
class Countdown:
    """Each move counts down by one, and the last one wins. So keeping the turn wins."""

    moves: int = 5
    num_actions: int = 2

    @property
    def max_moves(self) -> int:
        return self.moves

    def init(self, key) -> CountdownState:
        del key
        return CountdownState(
            jnp.int8(0), jnp.array(False), jnp.zeros(2, jnp.int8), jnp.int32(self.moves)
        )

    def step(self, state, action) -> CountdownState:
        mover, won = state.current_player, state.left == 1
        sign = jnp.where(jnp.arange(2) == mover, 1, -1).astype(jnp.int8)
        after = CountdownState(
            current_player=jnp.where(action == PASS, 1 - mover, mover),
            terminated=won,
            rewards=won * sign,
            left=state.left - 1,
        )
        return jax.tree.map(lambda old, new: jnp.where(state.terminated, old, new), state, after)

    def legal_action_mask(self, state):
        return jnp.full(2, True) & ~state.terminated
