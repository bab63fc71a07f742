"""The value head of win, draw and loss, whose value is what plays."""

import jax
import numpy as np
from flax import nnx

from azjax.networks import ConvNetConfig, Variables, make_network

SHAPE, ACTIONS = (3, 4, 2), 6
BOARDS = np.random.default_rng(1).normal(size=(8, *SHAPE)).astype(np.float32)


def test_the_value_is_the_probability_of_a_win_less_that_of_a_loss():
    config = ConvNetConfig(channels=8, value_head="wdl")
    network = make_network(config, SHAPE, ACTIONS)
    fresh = jax.jit(network.init)(jax.random.key(0))
    np.testing.assert_allclose(jax.jit(network.apply)(fresh, BOARDS)[1], 0, atol=0.1)
    generator = np.random.default_rng(2)
    params = jax.tree.map(lambda x: x + np.float32(generator.normal(size=x.shape)), fresh.params)
    variables = Variables(params, {})
    outputs, _ = jax.jit(network.apply_train)(variables, BOARDS)
    assert outputs.value_logits.shape == (8, 3)
    win, draw, loss = np.asarray(nnx.softmax(outputs.value_logits)).T
    assert np.ptp(draw) > 0.01
    np.testing.assert_allclose(outputs.value, win - loss, rtol=1e-4, atol=1e-6)
    policy_logits, value = jax.jit(network.apply)(variables, BOARDS)
    np.testing.assert_allclose(policy_logits, outputs.policy_logits, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(value, outputs.value, rtol=1e-4, atol=1e-5)
