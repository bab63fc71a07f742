"""A network that starts equivariant stays so, and learns of all images of a position at once."""

import dataclasses
import functools

import jax
import numpy as np
import pytest
from jax.flatten_util import ravel_pytree

from azjax.networks import NetworkConfig, parameter_images
from azjax.training import init_train_state, make_game_and_network, train_iteration
from azjax.training.equivariance import board_symmetries, fresh_variables, tied_gradient
from azjax.training.gradient import batch_gradient
from azjax.training.loss import Batch

from .tiny import CONFIG, GAME, HYPERPARAMETERS, as_float32, quick_jit

NETWORK_CONFIG = NetworkConfig("mlp", channels=16, blocks=1, equivariant=True)
TIED = dataclasses.replace(CONFIG, network=NETWORK_CONFIG)
NETWORK = make_game_and_network(TIED)[1]
FREE = make_game_and_network(CONFIG)[1]
KEY = jax.random.key(0)
SIZE = 5


def images_of(variables):
    return parameter_images(NETWORK_CONFIG, board_symmetries(GAME), variables.parameters)


def make_batch():
    generator = np.random.default_rng(1)
    return Batch(
        observation=np.float32(generator.random((SIZE, *GAME.observation_shape)) < 0.4),
        legal=generator.random((SIZE, 9)) < 0.8,
        action_weights=np.float32(generator.dirichlet(np.ones(9), SIZE)),
        value_target=np.float32(generator.uniform(-1, 1, SIZE)),
    )


def seen(batch, cells, actions):
    planes = batch.observation.reshape(SIZE, 9, -1)[:, cells]
    return Batch(
        observation=planes.reshape(batch.observation.shape),
        legal=batch.legal[:, actions],
        action_weights=batch.action_weights[:, actions],
        value_target=batch.value_target,
    )


def test_the_gradient_is_that_of_the_batch_with_all_images():
    variables, batch = fresh_variables(GAME, NETWORK, KEY), make_batch()
    gradient = quick_jit(functools.partial(batch_gradient, NETWORK, axis_name=None))
    of_batch, *_ = gradient(variables, batch, np.float32(0.5))
    views = [seen(batch, *symmetry) for symmetry in zip(*GAME.symmetries, strict=True)]
    all_views = jax.tree.map(lambda *parts: np.concatenate(parts), *views)
    of_all, *_ = gradient(variables, all_views, np.float32(0.5))
    tied = tied_gradient(GAME, NETWORK, variables.parameters, of_batch)
    largest = np.abs(of_all).max()
    assert np.abs(of_batch - of_all).max() > 0.1 * largest
    np.testing.assert_allclose(tied, of_all, rtol=0, atol=1e-5 * largest)


def test_a_fresh_network_is_tied_and_spread_like_any_other():
    tied, free = fresh_variables(GAME, NETWORK, KEY), fresh_variables(GAME, FREE, KEY)
    vector = ravel_pytree(tied.parameters)[0]
    for image in images_of(tied):
        np.testing.assert_array_equal(vector[image], vector)
    spread, usual = (float(np.std(x.parameters["stem"]["kernel"])) for x in (tied, free))
    assert spread == pytest.approx(usual, rel=0.2)


def test_it_stays_tied_to_the_last_bit():
    state = quick_jit(functools.partial(init_train_state, TIED))(as_float32(HYPERPARAMETERS), KEY)
    iterate = quick_jit(functools.partial(train_iteration, TIED))
    for _ in range(3):
        state, _ = iterate(as_float32(HYPERPARAMETERS), state)
    learner = jax.device_get(state.learner)
    for variables in (learner.variables, learner.average):
        vector = ravel_pytree(variables.parameters)[0]
        for image in images_of(variables):
            np.testing.assert_array_equal(vector[image], vector)
    start = ravel_pytree(fresh_variables(GAME, NETWORK, KEY).parameters)[0]
    assert np.abs(vector - start).max() > 0.01
