"""Nim by the defaults of `Game`: a game as short as one's own first game."""

import dataclasses
from typing import NamedTuple

import chex
import jax.numpy as jnp
import numpy as np

from azjax.games import Game, rewards_of


class NimState(NamedTuple):
    heaps: chex.Array  # [H] int8
    current_player: chex.Array
    terminated: chex.Array
    rewards: chex.Array


@dataclasses.dataclass(frozen=True)
class Nim(Game[NimState]):
    """The last object wins; action `2 * heap + n` takes n + 1 objects of a heap."""

    heaps: tuple[int, ...] = (2, 2)
    name: str = "nim"

    @property
    def num_actions(self):
        return 2 * len(self.heaps)

    @property
    def observation_shape(self):
        return (1, len(self.heaps), 1)

    @property
    def max_moves(self):
        return sum(self.heaps)

    @property
    def max_positions(self):
        return 2.0 * np.prod([heap + 1 for heap in self.heaps])

    def init(self, key):
        return NimState(
            heaps=jnp.array(self.heaps, jnp.int8),
            current_player=jnp.int8(0),
            terminated=jnp.array(False),
            rewards=jnp.zeros(2, jnp.int8),
        )

    def take(self, state, action):
        """Returns the heaps after the action."""
        count = (action % 2 + 1) * (jnp.arange(len(self.heaps)) == action // 2)
        return state.heaps - count.astype(jnp.int8)

    def step(self, state, action):
        heaps = self.take(state, action)
        won = (heaps == 0).all()
        played = NimState(
            heaps=heaps,
            current_player=1 - state.current_player,
            terminated=won,
            rewards=rewards_of(state.current_player, won),
        )
        return self.finish_step(state, action, played)

    def legal_action_mask(self, state):
        enough = state.heaps[:, None] > jnp.arange(2)[None, :]
        return enough.reshape(-1) & ~state.terminated

    def observe(self, state):
        return state.heaps.astype(jnp.float32)[None, :, None]
