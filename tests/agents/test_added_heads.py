"""A network that gets other heads keeps its other outputs."""

import jax
import numpy as np
import pytest
from small_networks import (
    BOARDS,
    GAME,
    HEADS,
    apply,
    board_symmetries,
    config_of,
    init,
    make_sampler,
    network_of,
    tied,
)

from azjax.agents.initial_network import check_fits, describe_added, with_heads
from azjax.networks import Variables, weight_decay_mask

SMALL = dict(channels=8, blocks=1, policy_planes=2, value_planes=4, value_features=6)


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


def changed(old, new):
    """Returns trained variables of one network, and what they become in another."""
    variables = trained(old)
    check_fits(old, new)
    return variables, with_heads(variables, init(new, jax.random.key(7)))


def assert_equal_outputs(old, new):
    """Asserts that the outputs stay; returns the variables before and after."""
    variables, larger = changed(old, new)
    before = apply(old, variables, BOARDS)
    after = apply(new, larger, BOARDS)
    for one, other in zip(before, after, strict=True):
        assert np.ptp(one, axis=0).min() > 1e-3
        np.testing.assert_allclose(other, one, rtol=1e-4, atol=1e-5)
    return variables, larger


def test_auxiliary_heads_are_added_fresh_and_left_out():
    plain = network("resnet")
    one, two = network("resnet", heads=HEADS[:1]), network("resnet", heads=HEADS[2:])
    assert describe_added(plain, one) == "auxiliary heads none to reply_logits"
    assert describe_added(one, two) == "auxiliary heads reply_logits to ownership and margin"
    fresh = init(one, jax.random.key(7))
    _, larger = assert_equal_outputs(plain, one)
    auxiliary = larger.params["heads"]["auxiliary"]
    jax.tree.map(np.testing.assert_array_equal, auxiliary, fresh.params["heads"]["auxiliary"])
    _, other = assert_equal_outputs(one, two)
    assert set(other.params["heads"]["auxiliary"]) == {"ownership", "margin"}


def test_a_value_head_is_added_to_a_policy_fresh_and_the_policy_stays():
    old, new = network("resnet", value_head="none"), network("resnet", value_head="wdl")
    assert describe_added(old, new) == "a value head"
    variables, larger = changed(old, new)
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


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (network("mlp"), network("resnet"), "network.name='resnet': must be 'mlp'"),
        (network("resnet"), network("resnet", channels=14), "network.channels=14: must be 8"),
        (
            network("resnet"),
            network("resnet", value_head="wdl"),
            "network.value_head='wdl': must be 'scalar'",
        ),
        (
            network("resnet"),
            network("resnet", equivariant=True),
            "network.equivariant=True: must be False",
        ),
    ],
    ids=lambda x: x if isinstance(x, str) else "",
)
def test_another_network_is_refused(old, new, message):
    with pytest.raises(ValueError, match=f"^{message}, as in the agent$"):
        check_fits(old, new)
