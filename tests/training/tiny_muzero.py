"""Helpers of the tests of MuZero: one tiny configuration, compiled once."""

import dataclasses
import functools

import jax
import numpy as np

from azjax.networks import NetworkConfig
from azjax.training import init_train_state, make_context, train_iteration

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
def _compiled(config):
    functions = init_train_state, train_iteration
    return tuple(jax.jit(functools.partial(function, config)) for function in functions)


@functools.cache
def run(num_iterations, **changes):
    """Returns the states of a run of CONFIG with changes, the first included, and its metrics."""
    config = dataclasses.replace(CONFIG, **changes)
    numbers = tiny.as_float32(tiny.HYPERPARAMETERS)
    init, iterate = _compiled(config)
    states = [init(numbers, jax.random.key(0))]
    metrics = []
    for _ in range(num_iterations):
        state, found = jax.device_get(iterate(numbers, states[-1], np.float32(0)))
        states.append(state)
        metrics.append(found)
    return states, metrics
