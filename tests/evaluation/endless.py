"""A game of two places that may go on for ever."""

import dataclasses
from typing import NamedTuple

import chex
import jax.numpy as jnp


class EndlessState(NamedTuple):
    place: chex.Array
    current_player: chex.Array
    terminated: chex.Array
    rewards: chex.Array


@dataclasses.dataclass(frozen=True)
class Endless:
    """Action 0 goes to the other place, action 1 ends the game with a reward for who plays it."""

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
            place=jnp.where(ends, state.place, 1 - state.place),
            current_player=jnp.where(ends | self.keeps_turn, mover, 1 - mover),
            terminated=ends,
            rewards=jnp.where(ends, reward, 0).astype(jnp.int8),
        )

    def legal_action_mask(self, state):
        ends_here = (state.place == 1) if self.keeps_turn else jnp.array(True)
        return jnp.array([True, False]).at[1].set(ends_here) & ~state.terminated

    def without_move_count(self, state):
        return state
