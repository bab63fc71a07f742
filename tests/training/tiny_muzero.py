"""Helpers of the tests of MuZero: one tiny configuration, compiled once."""

import dataclasses
import functools

from azjax.networks import NetworkConfig
from azjax.training import make_context

from . import tiny

CONFIG = dataclasses.replace(
    tiny.CONFIG,
    algorithm="muzero",
    network=NetworkConfig("resnet", channels=8, blocks=1, auxiliary_heads=("consistency",)),
    num_updates=2,
    unroll_steps=3,
)
CONTEXT = make_context(CONFIG)
GAME = CONTEXT.game


@functools.cache
def run(num_iterations, **changes):
    """Returns the run of CONFIG with changes."""
    config = dataclasses.replace(CONFIG, **changes)
    return tiny.train(config, tiny.HYPERPARAMETERS, num_iterations)
