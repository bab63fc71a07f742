"""An equivariant network stays equivariant, and learns from all images of a position at once."""

import dataclasses
import functools

import jax
import numpy as np
import pytest
from jax.flatten_util import ravel_pytree
from small_networks import tied, variables_of
from trees import assert_same

from azjax import games, networks
from azjax.networks import MLPConfig, ResNetConfig, parameter_permutations
from azjax.training import make_context, make_game_and_network
from azjax.training.algorithms.alphazero import Batch
from azjax.training.learner import batch_gradient, learn
from azjax.training.symmetries import board_symmetries, init_variables, tie_parameters
from azjax.training.targets import Targets

from .tiny import CONFIG, CONTEXT, GAME, run, start

NETWORK_CONFIG = MLPConfig(channels=16, blocks=1, equivariant=True)
TIED = dataclasses.replace(CONFIG, network=NETWORK_CONFIG)
SIZE = 5

init = jax.jit(init_variables, static_argnums=(0, 1))


def make_network(kind=MLPConfig, equivariant=True):
    network = kind(
        channels=16,
        blocks=1,
        equivariant=equivariant,
        policy_planes=8,
        value_planes=8,
        precision="float32",
    )
    return make_game_and_network(dataclasses.replace(CONFIG, network=network))[1]


def images_of(network):
    return parameter_permutations(network, board_symmetries(GAME))


def assert_tied(network, variables):
    vector = ravel_pytree(variables.params)[0]
    for image in images_of(network):
        np.testing.assert_array_equal(vector[image], vector)


def sample_tied(network):
    """Returns variables none of which is zero, where gradients would stop."""
    return tied(network, board_symmetries(GAME), variables_of(network, scale=0.2))


def make_batch():
    generator = np.random.default_rng(1)
    return Batch(
        observation=np.float32(generator.random((SIZE, *GAME.observation_shape)) < 0.4),
        legal=generator.random((SIZE, 9)) < 0.8,
        action_weights=np.float32(generator.dirichlet(np.ones(9), SIZE)),
        targets=Targets(np.float32(generator.uniform(-1, 1, SIZE)), {}),
        of_parts={},
    )


def transform(batch, cells, actions):
    planes = batch.observation.reshape(SIZE, 9, -1)[:, cells]
    return Batch(
        observation=planes.reshape(batch.observation.shape),
        legal=batch.legal[:, actions],
        action_weights=batch.action_weights[:, actions],
        targets=batch.targets,
        of_parts={},
    )


def test_the_gradient_is_that_of_the_batch_with_all_images():
    network = make_network(ResNetConfig)
    variables, batch = sample_tied(network), make_batch()
    context = dataclasses.replace(CONTEXT, network=network)
    gradient = jax.jit(lambda *arguments: batch_gradient(context, *arguments))
    # As often as there are images, so that one program serves both.
    of_batch, *_ = gradient(variables, jax.tree.map(lambda x: np.concatenate(8 * [x]), batch))
    views = [transform(batch, *symmetry) for symmetry in zip(*GAME.symmetries, strict=True)]
    all_views = jax.tree.map(lambda *parts: np.concatenate(parts), *views)
    of_all, *_ = gradient(variables, all_views)
    tied_gradient = tie_parameters(GAME, network, of_batch)
    as_leaves = jax.jit(lambda vector: jax.tree.leaves(ravel_pytree(variables.params)[1](vector)))
    leaves = map(as_leaves, (tied_gradient, of_all, of_batch))
    for one, whole, part in zip(*leaves, strict=True):
        largest = np.abs(whole).max()
        assert largest > 0
        assert whole.size == 1 or np.abs(part - whole).max() > 0.05 * largest
        np.testing.assert_allclose(one, whole, rtol=0, atol=1e-5 * largest)


def test_a_fresh_network_is_tied_and_has_the_usual_scale():
    network, free = make_network(), make_network(equivariant=False)
    tied, usual = init(GAME, network, jax.random.key(0)), init(GAME, free, jax.random.key(0))
    assert_tied(network, tied)
    scale, usual_scale = (float(np.std(x.params["stem"]["kernel"])) for x in (tied, usual))
    assert scale == pytest.approx(usual_scale, rel=0.2)


@pytest.mark.slow
@pytest.mark.usefixtures("optimizations")
def test_it_stays_tied_to_the_last_bit():
    """Compiles with optimizations, as runs do: vectorized sums may differ in their order."""
    state, context = run(2).states[2], make_context(TIED)  # games of another network
    state = state._replace(learner=start(TIED).learner)
    first = ravel_pytree(state.learner.variables.params)[0]
    learnt = jax.jit(functools.partial(learn, context))
    for i in range(3):
        learner, *_ = learnt(state, state.replay, jax.random.key(i), np.float32(0.0))
        state = state._replace(learner=learner)
    network, learner = context.network, jax.device_get(state.learner)
    for variables in (learner.variables, learner.ema_variables):
        assert_tied(network, variables)
    assert np.abs(ravel_pytree(learner.variables.params)[0] - first).max() > 0.01


def test_a_board_without_symmetries_has_nothing_to_tie():
    coins = games.make("coins")
    network = networks.make_network(NETWORK_CONFIG, coins.observation_shape, coins.num_actions)
    variables = init(coins, network, jax.random.key(0))
    assert_same(variables, jax.jit(network.init)(jax.random.key(0)))
    gradient = ravel_pytree(variables.params)[0]
    assert tie_parameters(coins, network, gradient) is gradient
