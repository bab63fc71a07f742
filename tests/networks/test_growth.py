"""A network that grows keeps its outputs, and its new units learn."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.flatten_util import ravel_pytree
from random_variables import make_sampler
from small_board import BOARDS, GAME, apply, init, network_of

from azjax.networks import (
    AUXILIARY_HEADS,
    Network,
    NetworkConfig,
    Variables,
    check_growth,
    describe_growth,
    grow,
    parameter_permutations,
    weight_decay_mask,
)
from azjax.training.learning.symmetries import board_symmetries

SMALL = dict(channels=8, blocks=1, policy_planes=2, value_planes=4, value_features=6)
LARGE = dict(channels=14, blocks=3, policy_planes=4, value_planes=6, value_features=10)

_apply_train = jax.jit(Network.apply_train, static_argnums=0)


def config(architecture, norm="none", **sizes):
    return NetworkConfig(architecture, norm=norm, precision="float32", **(SMALL | sizes))


def trained(network):
    """Returns random variables like those of a trained network: none is zero, some are tied."""
    sample = make_sampler()
    params, batch_stats = jax.eval_shape(network.init, jax.random.key(0))
    kernels = weight_decay_mask(params)
    # Positive biases keep units from being zero on every board.
    params = jax.tree.map(lambda x, k: sample(x) if k else np.abs(sample(x)), params, kernels)
    if network.config.equivariant:
        vector, as_tree = ravel_pytree(params)
        ties = parameter_permutations(network.config, board_symmetries(GAME), params)
        params = as_tree(vector[ties.min(axis=0)])
    return Variables(params, jax.tree.map(lambda leaf: np.abs(sample(leaf)) + 0.5, batch_stats))


def grown(old, new):
    """Returns trained variables of one configuration, and what they grow into."""
    variables = trained(network_of(old))
    fresh = init(GAME, network_of(new), jax.random.key(7))
    check_growth(old, new)
    return variables, grow(old, variables, new, fresh)


def assert_equal_outputs(old, new):
    """Asserts that growth keeps the outputs; returns the variables before and after."""
    variables, larger = grown(old, new)
    before = apply(network_of(old), variables, BOARDS)
    after = apply(network_of(new), larger, BOARDS)
    for one, other in zip(before, after, strict=True):
        assert np.ptp(one, axis=0).min() > 1e-3
        np.testing.assert_allclose(other, one, rtol=1e-4, atol=1e-5)
    return variables, larger


@pytest.mark.parametrize(
    ("architecture", "norm", "sizes"),
    [
        ("mlp", "none", LARGE),
        ("convnet", "batch", LARGE),
        ("resnet", "none", LARGE),
        ("resnet", "layer", LARGE | {"channels": SMALL["channels"]}),
        *(
            pytest.param(architecture, norm, sizes, marks=pytest.mark.slow)
            for architecture, norm, sizes in [
                ("convnet", "layer", {"value_features": 9}),
                ("resnet", "batch", LARGE),
                ("resnet", "none", {"value_features": None, "channels": 9}),
            ]
        ),
    ],
)
def test_outputs_are_equal_before_and_after(architecture, norm, sizes):
    assert_equal_outputs(config(architecture, norm), config(architecture, norm, **sizes))


@pytest.mark.parametrize("architecture", ["mlp", "resnet"])
def test_what_training_reads_is_equal_before_and_after(architecture):
    old = config(
        architecture,
        global_pooling=architecture == "resnet",
        value_head="wdl",
        auxiliary_heads=AUXILIARY_HEADS,
    )
    new = dataclasses.replace(old, **LARGE)
    variables, larger = grown(old, new)
    before, _ = _apply_train(network_of(old), variables, BOARDS)
    after, _ = _apply_train(network_of(new), larger, BOARDS)
    assert len(jax.tree.leaves(before)) == 7
    for one, other in zip(*map(jax.tree.leaves, (before, after)), strict=True):
        assert np.ptp(one, axis=0).min() > 1e-3
        np.testing.assert_allclose(other, one, rtol=1e-4, atol=1e-5)


def test_global_pooling_is_added_and_changes_no_output():
    old, new = config("resnet"), config("resnet", global_pooling=True, channels=14)
    assert describe_growth(old, new) == "channels 8 to 14, global pooling"
    assert_equal_outputs(old, new)


def test_auxiliary_heads_are_added_fresh_and_left_out():
    plain = config("resnet")
    one, two = (
        dataclasses.replace(plain, auxiliary_heads=heads) for heads in (("reply",), ("ownership",))
    )
    assert describe_growth(plain, one) == "auxiliary heads none to reply"
    assert describe_growth(one, two) == "auxiliary heads reply to ownership"
    fresh = init(GAME, network_of(one), jax.random.key(7))
    _, larger = assert_equal_outputs(plain, one)
    auxiliary = larger.params["heads"]["auxiliary"]
    jax.tree.map(np.testing.assert_array_equal, auxiliary, fresh.params["heads"]["auxiliary"])
    _, changed = assert_equal_outputs(one, two)
    assert set(changed.params["heads"]["auxiliary"]) == {"ownership", "margin"}


@pytest.mark.parametrize("architecture", ["mlp", "resnet"])
def test_a_value_head_is_added_to_a_policy_fresh_and_the_policy_stays(architecture):
    old, new = config(architecture, value_head="none"), config(architecture, value_head="wdl")
    assert describe_growth(old, new) == "a value head"
    variables, larger = grown(old, new)
    before, _ = apply(network_of(old), variables, BOARDS)
    after, _ = apply(network_of(new), larger, BOARDS)
    assert np.ptp(before, axis=0).min() > 1e-3
    np.testing.assert_allclose(after, before, rtol=1e-4, atol=1e-5)
    fresh = init(GAME, network_of(new), jax.random.key(7))
    added = fresh.params["heads"].keys() - variables.params["heads"].keys()
    assert added
    for name in added:
        one, other = larger.params["heads"][name], fresh.params["heads"][name]
        jax.tree.map(np.testing.assert_array_equal, one, other)


def test_a_tower_grows_from_no_block():
    assert_equal_outputs(config("resnet", blocks=0), config("resnet", blocks=2))


def test_an_equivariant_network_stays_one_and_keeps_its_outputs():
    old = dataclasses.replace(config("resnet"), equivariant=True)
    new = dataclasses.replace(old, **LARGE)
    _, larger = assert_equal_outputs(old, new)
    vector = ravel_pytree(larger.params)[0]
    for permutation in parameter_permutations(new, board_symmetries(GAME), larger.params):
        np.testing.assert_array_equal(vector[permutation], vector)


def test_the_weights_by_which_old_units_read_new_ones_learn_and_differ():
    old, new = config("resnet"), config("resnet", channels=14)
    _, larger = grown(old, new)
    network = network_of(new)

    def loss(params):
        outputs, _ = network.apply_train(Variables(params, {}), BOARDS)
        return jnp.sum(outputs.policy_logits[:, 0] ** 2) + jnp.sum((outputs.value - 0.5) ** 2)

    gradient = jax.jit(jax.grad(loss))(larger.params)
    read = np.asarray(gradient["heads"]["planes"]["kernel"])[old.channels :]
    assert np.abs(read).max(axis=1).min() > 0
    assert len(np.unique(read[:, 0])) == len(read)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (config("mlp"), config("resnet"), "network.architecture='resnet': must be 'mlp'"),
        (
            config("mlp"),
            config("mlp", value_head="wdl"),
            "network.value_head='wdl': must be 'scalar'",
        ),
        (
            config("resnet"),
            config("resnet", channels=4, blocks=0),
            "network.channels=4, network.blocks=0: must be 8 or more, 1 or more",
        ),
        (
            config("resnet", "layer"),
            config("resnet", "layer", channels=16),
            "network.channels=16: must be 8",
        ),
        (
            config("resnet", global_pooling=True),
            config("resnet"),
            "network.global_pooling=False: must be True",
        ),
        (
            config("resnet"),
            dataclasses.replace(config("resnet"), equivariant=True),
            "network.equivariant=True: must be False",
        ),
    ],
    ids=lambda x: x if isinstance(x, str) else "",
)
def test_what_cannot_grow_is_refused(old, new, message):
    with pytest.raises(ValueError, match=f"^{message}, as in the agent$"):
        check_growth(old, new)
