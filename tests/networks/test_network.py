"""The contract of every architecture, with every normalization."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import PartitionSpec
from small_networks import config_of, make_sampler

from azjax.networks import (
    ConvNetConfig,
    MLPConfig,
    Network,
    ResNetConfig,
    Variables,
    make_network,
    weight_decay_mask,
)

SHAPE = (4, 5, 3)
ACTIONS = 6
BATCH = 8
KINDS = [("mlp", "none"), ("convnet", "batch"), ("resnet", "layer")]
every_kind = pytest.mark.parametrize(("architecture", "norm"), KINDS)


def _network(architecture="resnet", norm="none", channels=8, blocks=1):
    config = config_of(architecture, channels=channels, blocks=blocks, norm=norm)
    return make_network(config, SHAPE, ACTIONS)


def _observations():
    return np.random.default_rng(1).normal(size=(BATCH, *SHAPE)).astype(np.float32)


def _random_variables(network):
    """Returns random variables like those of a trained network: none is zero."""
    sample = make_sampler()
    params, batch_stats = network.shapes
    return Variables(
        jax.tree.map(sample, params),
        jax.tree.map(lambda leaf: np.full(leaf.shape, 0.5, np.float32), batch_stats),
    )


_init = jax.jit(Network.init, static_argnums=0)
_apply = jax.jit(Network.apply, static_argnums=0)
_apply_train = jax.jit(Network.apply_train, static_argnums=0)


@every_kind
def test_fresh_network_is_near_uniform_and_near_zero(architecture, norm):
    network = _network(architecture, norm)
    variables = _init(network, jax.random.key(0))
    policy_logits, value = _apply(network, variables, _observations())
    assert policy_logits.shape == (BATCH, ACTIONS)
    assert value.shape == (BATCH,)
    assert policy_logits.dtype == value.dtype == jnp.float32
    assert np.abs(policy_logits).max() < 0.3
    assert np.abs(value).max() < 0.3
    # Near, but not equal: outputs depend on the board.
    assert np.ptp(policy_logits, axis=0).min() > 0
    assert np.ptp(value) > 0


@every_kind
def test_each_board_is_evaluated_independently(architecture, norm):
    network = _network(architecture, norm)
    variables, observations = _random_variables(network), _observations()
    others_changed = np.concatenate([observations[:1], -3 * observations[1:]])
    before = _apply(network, variables, observations)
    after = _apply(network, variables, others_changed)
    assert np.isfinite(before[0]).all()
    assert np.abs(before[1]).max() < 1
    for a, b in zip(before, after, strict=True):
        np.testing.assert_array_equal(a[0], b[0])
        assert not np.allclose(a[1:], b[1:])


@every_kind
def test_weights_decay_and_biases_and_scales_of_norms_do_not(architecture, norm):
    params, _ = _network(architecture, norm).shapes
    decays = dict(jax.tree.leaves_with_path(weight_decay_mask(params)))
    names = {path[-1].key: decays[path] for path in decays}
    scale = {} if norm == "none" else {"scale": False}
    assert names == {"kernel": True, "bias": False} | scale
    assert all(decays[path] == names[path[-1].key] for path in decays)


@pytest.mark.parametrize(
    "config",
    [
        MLPConfig(channels=16, blocks=2, precision="bfloat16"),
        ConvNetConfig(channels=8, norm="batch"),
        ResNetConfig(channels=8, blocks=1, norm="layer"),
        ResNetConfig(channels=16, blocks=2, precision="bfloat16", global_pooling=True),
    ],
    ids=lambda config: f"{config.name}-{config.precision}",
)
def test_gradient_reaches_every_parameter(config):
    network = make_network(config, SHAPE, ACTIONS)
    variables = _random_variables(network)

    def loss(params):
        outputs, _ = network.apply_train(variables._replace(params=params), _observations())
        return jnp.sum(outputs.policy_logits[:, 0] ** 2) + jnp.sum((outputs.value - 0.5) ** 2)

    gradient = jax.jit(jax.grad(loss))(variables.params)
    for path, leaf in jax.tree_util.tree_leaves_with_path(gradient):
        assert np.isfinite(leaf).all(), path
        assert np.abs(leaf).max() > 0, path


def test_boards_in_bfloat16_are_evaluated_independently_of_their_chunk():
    config = ResNetConfig(channels=16, blocks=2, precision="bfloat16")
    network = make_network(config, SHAPE, ACTIONS)
    variables = _random_variables(network)
    boards = np.random.default_rng(3).normal(size=(21, *SHAPE)).astype(np.float32)  # 8, 8 and 5
    together = _apply(network, variables, boards)
    alone = [_apply(network, variables, board[None]) for board in boards]
    for a, b in zip(together, map(np.concatenate, zip(*alone, strict=True)), strict=True):
        assert np.ptp(b) > 0.02
        np.testing.assert_allclose(a, b, atol=0.002)


def test_batch_statistics_are_learnt_in_training_and_used_in_evaluation():
    network = _network(norm="batch")
    variables, observations = _random_variables(network), _observations()
    (trained_logits, *_), batch_stats = _apply_train(network, variables, observations)
    changed = jax.tree.map(lambda a, b: not np.allclose(a, b), batch_stats, variables.batch_stats)
    assert all(jax.tree.leaves(changed))
    logits, _ = _apply(network, variables, observations)
    assert not np.allclose(logits, trained_logits)
    for _ in range(200):
        _, batch_stats = _apply_train(network, variables, observations)
        variables = variables._replace(batch_stats=batch_stats)
    logits, _ = _apply(network, variables, observations)
    np.testing.assert_allclose(logits, trained_logits, rtol=1e-3, atol=1e-4)


def test_statistics_over_devices_are_those_of_the_whole_batch():
    network = _network(norm="batch")
    variables, observations = _random_variables(network), _observations()
    mesh = jax.make_mesh((2,), ("devices",), axis_types=(jax.sharding.AxisType.Auto,))
    boards, replicated = PartitionSpec("devices"), PartitionSpec()
    sharded = jax.shard_map(
        functools.partial(network.apply_train, axis_name="devices"),
        mesh=mesh,
        in_specs=(replicated, boards),
        out_specs=(boards, replicated),
    )
    actual = jax.jit(sharded)(variables, observations)
    expected = _apply_train(network, variables, observations)
    jax.tree.map(
        lambda a, e: np.testing.assert_allclose(a, e, rtol=1e-4, atol=1e-5), actual, expected
    )
