"""Global pooling: every cell sees the whole board, and a fresh network starts without it."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
from small_networks import variables_of

from azjax.networks import ResNetConfig, Variables, make_network
from azjax.networks.layers import GlobalPooling, KernelInitializer

SHAPE, ACTIONS, BATCH = (5, 6, 2), 6, 3
CONFIG = ResNetConfig(
    channels=8, blocks=1, value_planes=1, precision="float32", global_pooling=True
)
BOARDS = np.random.default_rng(1).normal(size=(BATCH, *SHAPE)).astype(np.float32)


def test_the_mean_and_the_maximum_of_each_channel_are_read():
    pooling = GlobalPooling(2, 3, kernel_init=KernelInitializer())
    kernel = np.random.default_rng(0).normal(size=(4, 3)).astype(np.float32)
    pooling.pooled.kernel[...] = jnp.asarray(kernel)
    read = np.concatenate([BOARDS.mean(axis=(1, 2)), BOARDS.max(axis=(1, 2))], axis=1)
    np.testing.assert_allclose(pooling(jnp.asarray(BOARDS)), read @ kernel, rtol=1e-5, atol=1e-5)


def test_a_fresh_network_is_that_without_pooling():
    network = make_network(CONFIG, SHAPE, ACTIONS)
    plain = make_network(dataclasses.replace(CONFIG, global_pooling=False), SHAPE, ACTIONS)
    params = jax.jit(network.init)(jax.random.key(0)).params
    outputs = jax.jit(network.apply)(Variables(params, {}), BOARDS)
    values = dict(jax.tree.leaves_with_path(params))
    kept = jax.tree.map_with_path(lambda path, _: values[path], plain.shapes.params)
    expected = jax.jit(plain.apply)(Variables(kept, {}), BOARDS)
    for one, other in zip(outputs, expected, strict=True):
        assert np.ptp(other, axis=0).min() > 0
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)


def test_a_cell_reaches_the_features_of_all_others_in_one_block():
    """The planes of a corner see a stone in the opposite one, five steps away."""
    network = make_network(CONFIG, SHAPE, ACTIONS)
    variables = variables_of(network, 0.3)
    # The value reads one cell alone: the last of its only plane, and no pooled feature.
    heads = dict(variables.params["heads"])
    kernel = np.zeros_like(heads["value_hidden"]["kernel"])
    kernel[-1] = 1
    heads["value_hidden"] = heads["value_hidden"] | {"kernel": kernel}
    heads["pooling"] = jax.tree.map(np.zeros_like, heads["pooling"])
    variables = variables._replace(params=variables.params | {"heads": heads})

    def value_of_one(boards, is_pooled):
        tower = variables.params["tower"]["blocks"]
        pooling = jax.tree.map(lambda x: is_pooled * x, tower["pooling"])
        params = variables.params | {"tower": {"blocks": tower | {"pooling": pooling}}}
        return network.apply(Variables(params, {}), boards)[1][0]

    gradient = jax.jit(jax.grad(value_of_one))
    for is_pooled in (0.0, 1.0):
        of_corner = np.abs(gradient(BOARDS[:1], is_pooled)[0, 0, 0]).max()
        assert (of_corner > 0) == is_pooled
