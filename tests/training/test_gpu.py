"""Training on a GPU: `JAX_PLATFORMS=cuda python -m pytest -m gpu`."""

import dataclasses

import jax
import numpy as np
import pytest

from azjax.networks import NetworkConfig
from azjax.runs.program import compile_slots
from azjax.support.machine.devices import make_mesh
from azjax.support.machine.memory import free_bytes
from azjax.training import init_train_state

from .tiny import CONFIG, HYPERPARAMETERS, as_float32, run


@pytest.mark.gpu
def test_an_iteration_on_a_gpu_has_finite_metrics_and_the_memory_is_its_own():
    assert all(np.isfinite(x).all() for x in jax.tree.leaves(run(2).metrics))
    assert 0 < free_bytes(make_mesh(1)) < jax.devices()[0].memory_stats()["bytes_limit"]


@pytest.mark.gpu
def test_deterministic_training_repeats_itself_on_a_gpu():
    network = NetworkConfig(architecture="resnet", channels=16, blocks=2)
    config = dataclasses.replace(CONFIG, network=network, deterministic=True)
    first, again = (jax.tree.leaves(states_after(config, num_iterations=4)) for _ in range(2))
    assert all((one == other).all() for one, other in zip(first, again, strict=True))


def states_after(config, num_iterations):
    """Returns the learner's states of a population of one, from a program compiled for it."""
    hyperparameters = jax.tree.map(lambda x: x[None], as_float32(HYPERPARAMETERS))
    states = init_train_state(config, as_float32(HYPERPARAMETERS), jax.random.key(0))
    states = jax.tree.map(lambda x: x[None], states)
    iterate = compile_slots(config, make_mesh(1), num_slots=1).iterate
    for _ in range(num_iterations):
        share = np.zeros(1, np.float32)
        states, _ = iterate(hyperparameters, np.array([True]), states, share)
    return jax.device_get(states.learner)
