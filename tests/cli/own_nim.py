"""A plug-in as a user writes it: a game, components of each kind, and a preset."""

import dataclasses

from flax import nnx

import azjax
from azjax.games.coins import Coins
from azjax.networks import NetworkConfig
from azjax.search import PUCT
from azjax.training import AdamW, AlphaZero, Part


@dataclasses.dataclass(frozen=True)
class Nim(Coins):
    """The coin game with five coins."""

    coins: int = 5
    name: str = "own_nim"

    def step(self, state, action):
        return super().step(state, action)


class OneLayer(nnx.Module):
    """The smallest torso."""

    def __init__(self, channels, observation_shape, rngs):
        height, width, planes = observation_shape
        self.hidden = nnx.Linear(height * width * planes, channels, rngs=rngs)

    def __call__(self, observations):
        return nnx.relu(self.hidden(observations.reshape(len(observations), -1)))


@azjax.register
@dataclasses.dataclass(frozen=True)
class OneLayerConfig(NetworkConfig):
    """One layer."""

    name = "one_layer"

    def make_torso(self, observation_shape, *, kernel_init, rngs):
        return OneLayer(self.channels, observation_shape, rngs)


@azjax.register
@dataclasses.dataclass(frozen=True)
class OwnPUCT(PUCT):
    """PUCT."""

    name = "own_puct"


@azjax.register
@dataclasses.dataclass(frozen=True)
class OwnAlphaZero(AlphaZero):
    """AlphaZero."""

    name = "own_alphazero"


@azjax.register
@dataclasses.dataclass(frozen=True)
class OwnAdamW(AdamW):
    """AdamW."""

    name = "own_adamw"


@azjax.register
@dataclasses.dataclass(frozen=True)
class OwnPart(Part):
    """A part that does nothing."""

    name = "own_part"


azjax.register_game("own_nim", Nim)
SIZES = {"num_games": 8, "num_moves": 4, "replay_moves": 8, "num_updates": 1, "batch_size": 8}
azjax.register_preset(
    "own_nim",
    {
        "iterations": 2,
        "evaluation_simulations": 2,
        "game": "own_nim",
        "train": SIZES,
        "network": {"name": "one_layer", "channels": 16},
        "search": {"name": "own_puct", "num_simulations": 4},
    },
)
