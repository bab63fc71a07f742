"""Products in bfloat16: selected by name or by the hardware, near those in float32."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import PartitionSpec
from small_networks import config_of

from azjax.networks import make_network
from azjax.networks import precision as precision_module
from azjax.networks.ops.conv import conv3x3
from azjax.networks.ops.matmul import multiply
from azjax.support.machine.target import compiling_for

KINDS = [("convnet", "batch"), ("resnet", "layer")]


def sample(*shape):
    return np.random.default_rng(len(shape)).normal(size=shape).astype(np.float32)


def output_and_gradients(inputs, kernel, weights):
    output, pullback = jax.vjp(multiply, inputs, kernel)
    return output, *pullback(weights)


compiled = jax.jit(output_and_gradients)


def test_a_product_in_float32_is_matmul_with_its_gradients():
    inputs, kernel, weights = sample(3, 5, 4), sample(4, 6), sample(3, 5, 6)
    output, inputs_grad, kernel_grad = compiled(inputs, kernel, weights)
    np.testing.assert_allclose(output, inputs @ kernel, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(inputs_grad, weights @ kernel.T, rtol=1e-5, atol=1e-5)
    expected = inputs.reshape(-1, 4).T @ weights.reshape(-1, 6)
    np.testing.assert_allclose(kernel_grad, expected, rtol=1e-5, atol=1e-5)


def test_sums_of_bfloat16_are_float32():
    ones = jnp.ones((1, 4096), jnp.bfloat16)  # a sum in bfloat16 would stay at 256
    output, inputs_grad, kernel_grad = compiled(ones, np.ones((4096, 1), np.float32), sample(1, 1))
    assert output.item() == 4096
    assert (output.dtype, inputs_grad.dtype, kernel_grad.dtype) == (
        jnp.float32,
        jnp.bfloat16,
        jnp.float32,
    )


def test_the_gradient_of_a_replicated_kernel_is_summed_over_devices():
    inputs, kernel, weights = sample(8, 4), sample(4, 6), sample(8, 6)
    rows = PartitionSpec("devices")
    mesh = jax.make_mesh((2,), ("devices",), axis_types=(jax.sharding.AxisType.Auto,))
    sharded = jax.shard_map(
        output_and_gradients,
        mesh=mesh,
        in_specs=(rows, PartitionSpec(), rows),
        out_specs=(rows, rows, PartitionSpec()),
    )
    for a, e in zip(
        jax.jit(sharded)(inputs, kernel, weights), compiled(inputs, kernel, weights), strict=True
    ):
        np.testing.assert_allclose(a, e, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(("architecture", "norm"), KINDS)
def test_a_network_in_bfloat16_is_near_one_in_float32(architecture, norm):
    observations = sample(8, 4, 5, 3)
    found = {}
    for precision in ("float32", "bfloat16"):
        config = config_of(architecture, channels=16, blocks=2, norm=norm, precision=precision)
        network = make_network(config, (4, 5, 3), 6)
        variables = jax.jit(network.init)(jax.random.key(0))
        variables = jax.tree.map(lambda x: x + 0.05 * sample(*x.shape), variables)
        apply = jax.jit(network.apply)
        found[precision] = apply(variables, observations)
        alone = apply(variables, np.concatenate([observations[:1], -observations[1:]]))
        for whole, one in zip(found[precision], alone, strict=True):
            np.testing.assert_array_equal(whole[0], one[0])
    for near, exact in zip(found["bfloat16"], found["float32"], strict=True):
        assert near.dtype == jnp.float32
        assert 0 < np.abs(near - exact).max() < 0.05 * max(1, np.abs(exact).max())


def test_products_of_float32_are_not_rounded_on_a_gpu():
    inputs, kernel = sample(3, 4), sample(4, 6)
    boards, filters = sample(2, 5, 5, 16), sample(16, 3, 3, 16)

    def precisions(function, *arrays):
        return str(jax.make_jaxpr(function)(*arrays)).count("HIGHEST")

    with compiling_for(Device("gpu", compute_capability="9.0")):
        for dtype, count in ((jnp.float32, 2), (jnp.bfloat16, 0)):
            assert precisions(lambda x: multiply(x, kernel), inputs.astype(dtype)) == count
            assert precisions(lambda x: conv3x3(x, filters), boards.astype(dtype)) == count
    assert precisions(lambda x: multiply(x, kernel) + 0, inputs) == 0


class Device:
    def __init__(self, platform, **attributes):
        self.platform = platform
        vars(self).update(attributes)


@pytest.mark.parametrize(
    ("device", "flags", "answer"),
    [
        (Device("cpu"), "flags : avx512f amx_bf16 amx_tile", True),
        (Device("cpu"), "flags : avx2", False),
        (Device("gpu", compute_capability="9.0"), "flags : avx2", True),
        (Device("gpu", compute_capability="7.5"), "flags : amx_bf16", False),
        (Device("tpu"), "", True),
    ],
)
def test_accelerators_and_processors_with_matrix_units_multiply_bfloat16(
    monkeypatch, tmp_path, device, flags, answer
):
    processor = tmp_path / "cpuinfo"
    processor.write_text(flags)
    monkeypatch.setattr("azjax.support.machine.processor._CPU_INFO", processor)
    assert precision_module.device_multiplies_bfloat16.__wrapped__(device) == answer
