"""Dead units begin again: the outputs stay, and the units learn."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from small_networks import (
    BOARDS,
    GAME,
    apply,
    board_symmetries,
    config_of,
    init,
    make_sampler,
    network_of,
)

from azjax.agents.growth import count_dead_units, revive
from azjax.networks import parameter_permutations

DEAD = (0, 1, 4, 5)  # units of the first of two blocks; pairs are images of each other


def config(architecture, **changes):
    sizes = dict(channels=8, blocks=2, policy_planes=2, value_planes=2)
    return config_of(architecture, precision="float32", **(sizes | changes))


@functools.cache
def case(given):
    """Returns a network, variables with dead units, and fresh variables."""
    network = network_of(given)
    variables = jax.tree.map(make_sampler(), init(network, jax.random.key(3)))
    blocks = variables.params["tower"]["blocks"]
    for unit in DEAD:
        blocks["first"]["kernel"][0, ..., unit] *= 1e-6
        blocks["first"]["bias"][0, unit] = -0.1
        blocks["second"]["kernel"][0, unit] *= 1e-6
    return network, variables, init(network, jax.random.key(7))


@pytest.mark.parametrize("architecture", ["mlp", "resnet"])
def test_dead_units_begin_again_and_change_no_output(architecture):
    given = config(architecture)
    network, variables, fresh = case(given)
    assert count_dead_units(given, variables) == len(DEAD)
    revived = revive(given, variables, fresh)
    assert count_dead_units(given, revived) == 0
    for one, other in zip(
        apply(network, variables, BOARDS), apply(network, revived, BOARDS), strict=True
    ):
        assert np.ptp(one, axis=0).min() > 1e-3
        np.testing.assert_allclose(other, one, rtol=1e-4, atol=1e-5)
    old, new, begun = (x.params["tower"]["blocks"]["first"] for x in (variables, revived, fresh))
    for name in ("kernel", "bias"):
        is_dead = np.isin(np.arange(8), DEAD)
        assert (new[name][0, ..., is_dead] == begun[name][0, ..., is_dead]).all()
        assert (new[name][0, ..., ~is_dead] == old[name][0, ..., ~is_dead]).all()
        assert (new[name][1] == old[name][1]).all()


def test_a_unit_that_its_bias_keeps_active_is_not_dead():
    given = config("resnet")
    _, variables, fresh = case(given)
    active = variables._replace(params=jax.tree.map(np.array, variables.params))
    active.params["tower"]["blocks"]["first"]["bias"][0, DEAD[0]] = 1.0
    assert count_dead_units(given, active) == len(DEAD) - 1
    kept = revive(given, active, fresh).params["tower"]["blocks"]["second"]["kernel"]
    readers = active.params["tower"]["blocks"]["second"]["kernel"]
    assert (kept[0, DEAD[0]] == readers[0, DEAD[0]]).all()


def test_the_weights_by_which_revived_units_are_read_learn():
    given = config("resnet")
    network, variables, fresh = case(given)
    revived = revive(given, variables, fresh)

    def loss(params):
        _, value = network.apply(variables._replace(params=params), BOARDS)
        return jnp.mean((value - 1) ** 2)

    def gradients(params):
        grads = jax.jit(jax.grad(loss))(params)["tower"]["blocks"]["second"]["kernel"][0]
        return np.abs(grads).sum(axis=(1, 2, 3))

    assert (gradients(variables.params)[[*DEAD]] == 0).all()
    assert (gradients(revived.params)[[*DEAD]] > 0).any()


def test_tied_weights_stay_tied():
    given = config("resnet", equivariant=True)
    network, _, fresh = case(given)
    tied = fresh._replace(params=jax.tree.map(np.array, fresh.params))
    for name, axis in (("first", -1), ("second", 1)):
        kernel = np.moveaxis(tied.params["tower"]["blocks"][name]["kernel"], axis, 0)
        kernel[[*DEAD], 0] *= 1e-6
    assert count_dead_units(given, tied) == len(DEAD)
    revived = revive(given, tied, fresh)
    vector, _ = jax.flatten_util.ravel_pytree(revived.params)
    for image in parameter_permutations(network, board_symmetries(GAME)):
        np.testing.assert_array_equal(vector[image], vector)


@pytest.mark.parametrize(
    "given",
    [
        config("resnet", norm="batch"),
        config("resnet", global_pooling=True),
        config("convnet"),
        config("mlp", blocks=0),
    ],
)
def test_where_units_do_not_die_nothing_begins_again(given):
    network = network_of(given)
    zeros = jax.tree.map(lambda x: np.zeros(x.shape, x.dtype), network.shapes)
    assert count_dead_units(given, zeros) == 0
    revived = revive(given, zeros, zeros)
    jax.tree.map(np.testing.assert_array_equal, revived, zeros)
