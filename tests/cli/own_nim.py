"""A plug-in as a user writes it: Nim, a network, a search, an algorithm and a preset."""

import dataclasses
from typing import NamedTuple

import chex
import jax.numpy as jnp
from flax import nnx

import azjax
from azjax.games.game import rewards_of
from azjax.search import puct_search
from azjax.training import alphazero


class NimState(NamedTuple):
    heaps: chex.Array  # [2] int8
    current_player: chex.Array  # [] int8
    terminated: chex.Array  # [] bool
    rewards: chex.Array  # [2] int8


@dataclasses.dataclass(frozen=True)
class Nim(azjax.Game[NimState]):
    """Two heaps; action `heap * size + n` takes n + 1 stones of a heap, and the last stone wins."""

    size: int = 3
    name: str = "own_nim"

    @property
    def num_actions(self):
        return 2 * self.size

    @property
    def observation_shape(self):
        return 2, self.size, 1

    @property
    def max_moves(self):
        return 2 * self.size

    @property
    def max_positions(self):
        return 2 * (self.size + 1) ** 2

    def init(self, key):
        return NimState(
            heaps=jnp.array([self.size, self.size - 1], jnp.int8),
            current_player=jnp.int8(0),
            terminated=jnp.array(False),
            rewards=jnp.zeros(2, jnp.int8),
        )

    def step(self, state, action):
        taken = (jnp.arange(2) == action // self.size) * (action % self.size + 1)
        heaps, mover = state.heaps - taken.astype(jnp.int8), state.current_player
        is_won = (heaps == 0).all()
        played = NimState(heaps, 1 - mover, is_won, rewards_of(mover, is_won))
        return self.finish_step(state, action, played)

    def legal_action_mask(self, state):
        stones = jnp.arange(1, self.size + 1)
        return ((stones[None, :] <= state.heaps[:, None]) & ~state.terminated).reshape(-1)

    def observe(self, state):
        stones = jnp.arange(self.size)
        return (stones[None, :] < state.heaps[:, None]).astype(jnp.float32)[:, :, None]


class OneLayer(nnx.Module):
    """The smallest network."""

    def __init__(self, config, observation_shape, num_actions, *, rngs):
        height, width, planes = observation_shape
        self.hidden = nnx.Linear(height * width * planes, config.channels, rngs=rngs)
        self.policy = nnx.Linear(config.channels, num_actions, rngs=rngs)
        self.value = nnx.Linear(config.channels, 1, rngs=rngs)

    def __call__(self, observations):
        hidden = nnx.relu(self.hidden(observations.reshape(len(observations), -1)))
        return self.policy(hidden), jnp.tanh(self.value(hidden)[:, 0])


azjax.register_game("own_nim", Nim)
azjax.register_network("one_layer", OneLayer)
azjax.register_search("own_puct", dataclasses.replace(puct_search))
azjax.register_algorithm("own_alphazero", dataclasses.replace(alphazero))
azjax.register_preset(
    "own_nim",
    {
        "summary": "for tests",
        "iterations": 2,
        "evaluation_simulations": 2,
        "train": {
            "game": "own_nim",
            "num_games": 8,
            "num_moves": 4,
            "replay_moves": 8,
            "num_updates": 1,
            "batch_size": 8,
            "network": {"architecture": "one_layer", "channels": 16},
            "search": {"algorithm": "own_puct", "num_simulations": 4},
        },
    },
)
