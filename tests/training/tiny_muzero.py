"""Helpers of the tests of MuZero: one tiny configuration, compiled once."""

import dataclasses

from azjax.networks import ResNetConfig
from azjax.training import MuZero, make_context

from . import tiny

CONFIG = dataclasses.replace(
    tiny.CONFIG,
    algorithm=MuZero(temperature_moves=3.0, unroll_steps=3, consistency=True),
    network=ResNetConfig(channels=8, blocks=1),
    num_updates=2,
)
CONTEXT = make_context(CONFIG)
GAME = CONTEXT.game
