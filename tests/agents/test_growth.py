"""A network that grows keeps its outputs, and its new units learn."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from small_networks import (
    BOARDS,
    GAME,
    HEADS,
    apply,
    apply_train,
    board_symmetries,
    config_of,
    init,
    make_sampler,
    network_of,
    ravel,
    tied,
)

from azjax.agents.initial_network import check_growth, describe_growth, grow
from azjax.networks import Variables, parameter_permutations, weight_decay_mask

SMALL = dict(channels=8, blocks=1, policy_planes=2, value_planes=4, value_features=6)
LARGE = dict(channels=14, blocks=2, policy_planes=4, value_planes=6, value_features=10)


def network(architecture, norm="none", heads=(), **options):
    given = SMALL | options
    return network_of(config_of(architecture, norm=norm, precision="float32", **given), heads)


def trained(network):
    """Returns random variables like those of a trained network: none is zero, some are tied."""
    sample = make_sampler()
    params, batch_stats = network.shapes
    kernels = weight_decay_mask(params)
    # Positive biases keep units from being zero on every board.
    params = jax.tree.map(lambda x, k: sample(x) if k else np.abs(sample(x)), params, kernels)
    batch_stats = jax.tree.map(lambda leaf: np.abs(sample(leaf)) + 0.5, batch_stats)
    return tied(network, board_symmetries(GAME), Variables(params, batch_stats))


def grown(old, new):
    """Returns trained variables of one network, and what they grow into in another."""
    variables = trained(old)
    check_growth(old, new)
    return variables, grow(old, variables, new, init(new, jax.random.key(7)))


def assert_equal_outputs(old, new):
    """Asserts that growth keeps the outputs; returns the variables before and after."""
    variables, larger = grown(old, new)
    before = apply(old, variables, BOARDS)
    after = apply(new, larger, BOARDS)
    for one, other in zip(before, after, strict=True):
        assert np.ptp(one, axis=0).min() > 1e-3
        np.testing.assert_allclose(other, one, rtol=1e-4, atol=1e-5)
    return variables, larger


@pytest.mark.parametrize(
    ("architecture", "norm", "sizes"),
    [
        ("mlp", "none", LARGE),
        ("convnet", "batch", LARGE),
        ("resnet", "layer", LARGE | {"channels": SMALL["channels"]}),
    ],
)
def test_outputs_are_equal_before_and_after(architecture, norm, sizes):
    assert_equal_outputs(network(architecture, norm), network(architecture, norm, **sizes))


def test_what_training_reads_is_equal_before_and_after():
    options = {"value_head": "wdl", "heads": HEADS}
    old = network("resnet", blocks=0, **options)
    new = network("resnet", global_pooling=True, **options, **LARGE)
    assert describe_growth(old, new).endswith("global pooling")
    variables, larger = grown(old, new)
    before, _ = apply_train(old, variables, BOARDS)
    after, _ = apply_train(new, larger, BOARDS)
    assert len(jax.tree.leaves(before)) == 7
    for one, other in zip(*map(jax.tree.leaves, (before, after)), strict=True):
        assert np.ptp(one, axis=0).min() > 1e-3
        np.testing.assert_allclose(other, one, rtol=1e-4, atol=1e-5)


def test_auxiliary_heads_are_added_fresh_and_left_out():
    plain = network("resnet")
    one, two = network("resnet", heads=HEADS[:1]), network("resnet", heads=HEADS[2:])
    assert describe_growth(plain, one) == "auxiliary heads none to reply_logits"
    assert describe_growth(one, two) == "auxiliary heads reply_logits to ownership and margin"
    fresh = init(one, jax.random.key(7))
    _, larger = assert_equal_outputs(plain, one)
    auxiliary = larger.params["heads"]["auxiliary"]
    jax.tree.map(np.testing.assert_array_equal, auxiliary, fresh.params["heads"]["auxiliary"])
    _, changed = assert_equal_outputs(one, two)
    assert set(changed.params["heads"]["auxiliary"]) == {"ownership", "margin"}


def test_a_value_head_is_added_to_a_policy_fresh_and_the_policy_stays():
    old, new = network("resnet", value_head="none"), network("resnet", value_head="wdl")
    assert describe_growth(old, new) == "a value head"
    variables, larger = grown(old, new)
    before, _ = apply(old, variables, BOARDS)
    after, _ = apply(new, larger, BOARDS)
    assert np.ptp(before, axis=0).min() > 1e-3
    np.testing.assert_allclose(after, before, rtol=1e-4, atol=1e-5)
    fresh = init(new, jax.random.key(7))
    added = fresh.params["heads"].keys() - variables.params["heads"].keys()
    assert added
    for name in added:
        one, other = larger.params["heads"][name], fresh.params["heads"][name]
        jax.tree.map(np.testing.assert_array_equal, one, other)


def test_an_equivariant_network_stays_one_and_keeps_its_outputs():
    old = network("resnet", equivariant=True)
    new = network("resnet", equivariant=True, **LARGE)
    _, larger = assert_equal_outputs(old, new)
    vector = ravel(larger.params)
    for permutation in parameter_permutations(new, board_symmetries(GAME)):
        np.testing.assert_array_equal(vector[permutation], vector)


def test_the_weights_by_which_old_units_read_new_ones_learn_and_differ():
    old, new = network("resnet"), network("resnet", channels=14)
    _, larger = grown(old, new)

    def loss(params):
        outputs, _ = new.apply_train(Variables(params, {}), BOARDS)
        return jnp.sum(outputs.policy_logits[:, 0] ** 2) + jnp.sum((outputs.value - 0.5) ** 2)

    gradient = jax.jit(jax.grad(loss))(larger.params)
    read = np.asarray(gradient["heads"]["planes"]["kernel"])[old.config.channels :]
    assert np.abs(read).max(axis=1).min() > 0
    assert len(np.unique(read[:, 0])) == len(read)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (network("mlp"), network("resnet"), "network.name='resnet': must be 'mlp'"),
        (
            network("resnet"),
            network("resnet", channels=4, blocks=0),
            "network.channels=4, network.blocks=0: must be 8 or more, 1 or more",
        ),
        (
            network("resnet", "layer"),
            network("resnet", "layer", channels=16),
            "network.channels=16: must be 8",
        ),
        (
            network("resnet"),
            network("resnet", equivariant=True),
            "network.equivariant=True: must be False",
        ),
    ],
    ids=lambda x: x if isinstance(x, str) else "",
)
def test_what_cannot_grow_is_refused(old, new, message):
    with pytest.raises(ValueError, match=f"^{message}, as in the agent$"):
        check_growth(old, new)
