"""The CPU forms of the convolution equal lax.conv, gradients included."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import PartitionSpec

from azjax.networks.ops import conv
from azjax.networks.ops import winograd as winograd_module
from azjax.networks.ops.shifted_sums import shifted_sums
from azjax.networks.ops.winograd import winograd

FORMS = {"im2col": conv.im2col, "winograd": winograd, "shifted_sums": shifted_sums}
# Batch, height, width, channels in and out: sides of every size of Winograd's tiles, even and odd;
# part of a chunk, whole chunks, whole chunks with a remainder, one-board chunks; many channels.
CASES = [(3, 1, 5, 2, 3), (2, 2, 2, 3, 2), (64, 6, 7, 8, 12), (70, 9, 9, 8, 4), (2, 13, 10, 3, 2)]
LARGE = (3, 19, 19, 64, 16)


@pytest.fixture(autouse=True)
def on_a_cpu():
    if jax.default_backend() != "cpu":
        pytest.skip("these forms are those of CPUs")


def _reference(inputs, kernel):
    return jax.lax.conv_general_dilated(
        inputs, kernel, (1, 1), "SAME", dimension_numbers=("NHWC", "IHWO", "NHWC")
    )


def _sample(batch, height, width, channels_in, channels_out):
    generator = np.random.default_rng(0)
    board = (batch, height, width)
    shapes = (*board, channels_in), (channels_in, 3, 3, channels_out), (*board, channels_out)
    inputs, kernel, weights = (generator.normal(size=s).astype(np.float32) for s in shapes)
    return inputs, kernel, weights


def _output_and_gradients(form, inputs, kernel, weights):
    output, pullback = jax.vjp(form, inputs, kernel)
    return output, *pullback(weights)


_compiled = jax.jit(_output_and_gradients, static_argnums=0)


def _assert_close(actual, expected):
    for a, e in zip(jax.tree.leaves(actual), jax.tree.leaves(expected), strict=True):
        assert a.dtype == e.dtype
        np.testing.assert_allclose(a, e, rtol=1e-4, atol=1e-5 * np.abs(e).max())


@pytest.mark.parametrize("case", [*CASES, pytest.param(LARGE, marks=pytest.mark.slow)], ids=str)
@pytest.mark.parametrize("form", FORMS)
def test_output_and_gradients_are_those_of_lax_conv(form, case):
    sampled = _sample(*case)
    actual = _compiled(FORMS[form], *sampled)
    _assert_close(actual, _compiled(_reference, *sampled))


@pytest.mark.parametrize("form", [conv.im2col, shifted_sums])
def test_bfloat16_is_near_float32(form):
    inputs, kernel, weights = _sample(70, 6, 7, 16, 12)
    rounded = inputs.astype(jnp.bfloat16)
    output, *gradients = _compiled(form, rounded, kernel, weights)
    assert output.dtype == jnp.float32
    assert [g.dtype for g in gradients] == [jnp.bfloat16, jnp.float32]
    expected = _compiled(_reference, inputs, kernel, weights)
    for a, e in zip((output, *gradients), expected, strict=True):
        error = np.abs(np.asarray(a, np.float32) - e)
        assert error.max() < 0.02 * np.abs(e).max()
        assert error.max() > 0  # it was rounded


def test_winograd_maps_over_a_population():
    inputs, kernel, weights = _sample(64, 6, 7, 12, 12)
    kernels = np.stack([kernel, 2 * kernel])

    @jax.jit
    def population(kernels):
        several = jax.vmap(lambda *arguments: _output_and_gradients(winograd, *arguments))
        return several(jnp.stack([inputs, -inputs]), kernels, jnp.stack([weights, weights]))

    expected = [
        _compiled(_reference, inputs, kernels[0], weights),
        _compiled(_reference, -inputs, kernels[1], weights),
    ]
    _assert_close(population(kernels), jax.tree.map(lambda *leaves: np.stack(leaves), *expected))


def test_winograd_gradient_of_a_replicated_kernel_sums_over_devices():
    inputs, kernel, weights = _sample(128, 6, 7, 16, 16)
    boards = PartitionSpec("devices")
    mesh = jax.make_mesh((2,), ("devices",), axis_types=(jax.sharding.AxisType.Auto,))
    sharded = jax.shard_map(
        lambda *arguments: _output_and_gradients(winograd, *arguments),
        mesh=mesh,
        in_specs=(boards, PartitionSpec(), boards),
        out_specs=(boards, boards, PartitionSpec()),
    )
    actual = jax.jit(sharded)(inputs, kernel, weights)
    _assert_close(actual, _compiled(_reference, inputs, kernel, weights))


def test_other_backends_use_lax_conv(monkeypatch):
    monkeypatch.setattr(conv, "targets_cpu", lambda: False)
    inputs, kernel, _ = _sample(2, 6, 7, 16, 16)
    jaxpr = jax.make_jaxpr(conv.conv3x3)(inputs, kernel)
    assert "conv_general_dilated" in str(jaxpr)
    np.testing.assert_array_equal(conv.conv3x3(inputs, kernel), _reference(inputs, kernel))
    assert conv.conv3x3(inputs.astype(jnp.bfloat16), kernel).dtype == jnp.bfloat16


def test_winograd_does_not_depend_on_the_chunk_size(monkeypatch):
    sampled = _sample(10, 6, 7, 8, 8)
    monkeypatch.setattr(winograd_module, "_CHUNK_SIZE", 1)
    actual = jax.jit(lambda *arguments: _output_and_gradients(winograd, *arguments))(*sampled)
    _assert_close(actual, _compiled(_reference, *sampled))
