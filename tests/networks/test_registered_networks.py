"""Networks of one's own: Flax modules, and modules of azjax's layers."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx

from azjax.games import make
from azjax.networks import (
    NetworkConfig,
    ResNet,
    check_equivariance,
    make_network,
    network_names,
    register_network,
)
from azjax.support.errors import InputError
from azjax.training.learning.symmetries import board_symmetries

SHAPE, ACTIONS = (3, 3, 2), 9
BOARDS = np.ones((2, *SHAPE), np.float32)

pytestmark = pytest.mark.usefixtures("registrations")


class OneLayer(nnx.Module):
    def __init__(self, config, observation_shape, num_actions, *, rngs):
        self.layer = nnx.Linear(18, num_actions + 1, rngs=rngs)

    def __call__(self, observations):
        outputs = self.layer(observations.reshape(len(observations), -1))
        return outputs[:, :-1], jnp.tanh(outputs[:, -1])


class Dropping(OneLayer):
    def __init__(self, config, observation_shape, num_actions, *, rngs):
        super().__init__(config, observation_shape, num_actions, rngs=rngs)
        self.dropout = nnx.Dropout(0.5, rngs=rngs)


class Normalized(OneLayer):
    def __init__(self, config, observation_shape, num_actions, *, rngs):
        super().__init__(config, observation_shape, num_actions, rngs=rngs)
        self.norm = nnx.BatchNorm(num_actions, rngs=rngs)

    def __call__(self, observations):
        logits, values = super().__call__(observations)
        return self.norm(logits), values


class OwnResNet(ResNet):
    """Has its initializer from its base class."""


def network(name):
    return make_network(NetworkConfig(name, channels=8, blocks=1), SHAPE, ACTIONS)


def init(name, seed=0):
    return jax.jit(network(name).init)(jax.random.key(seed))


def apply(name, variables, boards):
    return jax.jit(network(name).apply)(variables, boards)


@pytest.mark.parametrize(
    "make",
    [
        OneLayer,
        OwnResNet,
        lambda config, shape, num_actions, *, rngs: OneLayer(config, shape, num_actions, rngs=rngs),
    ],
    ids=["class of Flax", "class of azjax's layers", "function"],
)
def test_a_registered_network_is_an_architecture(make):
    register_network("own", make)
    assert network_names()[-1] == "own"
    variables = init("own")
    logits, values = apply("own", variables, BOARDS)
    assert (logits.shape, values.shape) == ((2, ACTIONS), (2,))
    others = init("own", seed=1)
    differs = jax.tree.map(lambda x, y: bool((x != y).any()), variables, others)
    assert any(jax.tree.leaves(differs))


def test_a_network_that_is_registered_again_replaces_the_old_one():
    register_network("own", OneLayer)
    assert len(jax.tree.leaves(init("own"))) == 2
    register_network("own", OwnResNet)
    variables = init("own")
    assert len(jax.tree.leaves(variables)) > 2
    apply("own", variables, BOARDS)


def test_a_network_without_random_numbers_is_refused():
    with pytest.raises(ValueError, match=r"its function must have a parameter rngs, an nnx.Rngs"):
        register_network("own", lambda config, shape, num_actions: None)


def test_arrays_of_another_type_are_refused_in_one_line():
    register_network("own", Dropping)
    with pytest.raises(ValueError, match=r"network Dropping has arrays of type Rng.*: all must be"):
        init("own")


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        (None, "^result of network 'own' is None: must be a tuple of 2"),
        (
            (jnp.ones((2, ACTIONS)), jnp.ones((2, 1))),
            r"^result of network 'own'\[1\] is float32\[2,1\]: must be an array \[2\], floating",
        ),
    ],
)
@pytest.mark.parametrize("function", ["apply", "apply_train"])
def test_other_outputs_are_refused_in_one_line(function, returned, message):
    class Wrong(OneLayer):
        def __call__(self, observations):
            return returned

    register_network("own", Wrong)
    variables = network("own").init(jax.random.key(0))
    with pytest.raises(InputError, match=message):
        getattr(network("own"), function)(variables, BOARDS)


def test_batch_normalization_plays_by_running_means_and_learns_by_those_of_all_devices():
    register_network("own", Normalized)
    variables = init("own")
    boards = jax.random.normal(jax.random.key(1), (4, *SHAPE))
    together, _ = apply("own", variables, boards)
    alone, _ = apply("own", variables, boards[:1])
    np.testing.assert_allclose(together[:1], alone, rtol=1e-5)

    @functools.partial(jax.jit, static_argnames="axis_name")
    def statistics(boards, axis_name=None):
        return network("own").apply_train(variables, boards, axis_name)[1]["norm"]["mean"]

    halves = jax.vmap(lambda half: statistics(half, "devices"), axis_name="devices")(
        boards.reshape(2, 2, *SHAPE)
    )
    np.testing.assert_allclose(halves, np.stack([statistics(boards)] * 2), rtol=1e-5)
    assert (halves[0] != variables.batch_stats["norm"]["mean"]).any()


def test_the_heads_of_a_network_of_ones_own_are_its_own():
    register_network("own", OwnResNet)
    message = "^network.value_head='wdl': must be 'scalar' where network.architecture is not mlp, "
    with pytest.raises(ValueError, match=message):
        NetworkConfig("own", value_head="wdl")


def test_a_network_of_ones_own_is_not_equivariant():
    register_network("own", OneLayer)
    config, symmetries = NetworkConfig("own", equivariant=True), board_symmetries(make("coins"))
    check_equivariance(config, symmetries)  # nothing is tied without symmetries
    with pytest.raises(ValueError, match=r"convnet, resnet; --network.no-equivariant allows any"):
        check_equivariance(config, board_symmetries(make("tic_tac_toe")))
