"""A game of two locations that may never end."""

import dataclasses
from typing import NamedTuple

import chex
import jax.numpy as jnp


class EndlessState(NamedTuple):
    location: chex.Array
    current_player: chex.Array
    terminated: chex.Array
    rewards: chex.Array


@dataclasses.dataclass(frozen=True)
class Endless:
    """Action 0 goes to the other location, action 1 ends the game with a reward for the mover."""

    reward: int
    keeps_turn: bool = False
    name: str = "endless"
    num_actions: int = 2
    max_positions: int = 8

    def init(self, key):
        del key
        return EndlessState(jnp.int8(0), jnp.int8(0), jnp.array(False), jnp.zeros(2, jnp.int8))

    def step(self, state, action):
        mover = state.current_player
        ends = action == 1
        reward = jnp.where(jnp.arange(2) == mover, self.reward, -self.reward)
        return EndlessState(
            location=jnp.where(ends, state.location, 1 - state.location),
            current_player=jnp.where(ends | self.keeps_turn, mover, 1 - mover),
            terminated=ends,
            rewards=jnp.where(ends, reward, 0).astype(jnp.int8),
        )

    def legal_action_mask(self, state):
        ends_here = (state.location == 1) if self.keeps_turn else jnp.array(True)
        return jnp.array([True, False]).at[1].set(ends_here) & ~state.terminated

    def without_move_count(self, state):
        return state
