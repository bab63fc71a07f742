"""A plug-in as a user writes it: a game, a network, a search, an algorithm and a preset."""

import dataclasses

import jax.numpy as jnp
from flax import nnx

import azjax
from azjax.games.coins import Coins
from azjax.search import puct_search
from azjax.training import alphazero


@dataclasses.dataclass(frozen=True)
class Nim(Coins):
    """The coin game with five coins."""

    coins: int = 5
    name: str = "own_nim"

    def step(self, state, action):
        return super().step(state, action)


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
SIZES = {"num_games": 8, "num_moves": 4, "replay_moves": 8, "num_updates": 1, "batch_size": 8}
azjax.register_preset(
    "own_nim",
    {
        "iterations": 2,
        "evaluation_simulations": 2,
        "train": {
            **SIZES,
            "game": "own_nim",
            "network": {"architecture": "one_layer", "channels": 16},
            "search": {"algorithm": "own_puct", "num_simulations": 4},
        },
    },
)
