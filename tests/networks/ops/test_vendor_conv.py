"""The vendor's convolution: alone, with gradients, and with a kernel for each member of a batch."""

import jax
import numpy as np
import pytest

from azjax.networks.ops.conv import vendor_conv


def sample(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


INPUTS, KERNEL, WEIGHTS = sample(3, 5, 4, 6), sample(6, 3, 3, 2), sample(3, 5, 4, 2)


def reference(inputs, kernel):
    padded = np.pad(inputs, ((0, 0), (1, 1), (1, 1), (0, 0)))
    height, width = inputs.shape[1:3]
    return sum(
        np.tensordot(padded[:, i : i + height, j : j + width], kernel[:, i, j], 1)
        for i in range(3)
        for j in range(3)
    )


def weighted(convolve):
    return lambda inputs, kernel: (convolve(inputs, kernel) * WEIGHTS).sum()


own_gradients = jax.jit(jax.value_and_grad(weighted(vendor_conv), (0, 1)))


def test_it_is_the_convolution_with_its_gradients():
    np.testing.assert_allclose(vendor_conv(INPUTS, KERNEL), reference(INPUTS, KERNEL), atol=1e-5)
    with jax.numpy_rank_promotion("allow"):
        expected = jax.jit(jax.grad(weighted(_lax), (0, 1)))(INPUTS, KERNEL)
    _, found = own_gradients(INPUTS, KERNEL)
    for near, exact in zip(found, expected, strict=True):
        np.testing.assert_allclose(near, exact, rtol=1e-4, atol=1e-4)


def _lax(inputs, kernel):
    dimensions = ("NHWC", "IHWO", "NHWC")
    return jax.lax.conv_general_dilated(
        inputs, kernel, (1, 1), "SAME", dimension_numbers=dimensions, precision="highest"
    )


@pytest.mark.parametrize("axes", [(0, 0), (None, 0), (0, None)])
def test_members_are_convolved_each_by_itself(axes):
    inputs = sample(4, *INPUTS.shape, seed=1) if axes[0] == 0 else INPUTS
    kernels = sample(4, *KERNEL.shape, seed=2) if axes[1] == 0 else KERNEL
    gradients = jax.vmap(jax.value_and_grad(weighted(vendor_conv), (0, 1)), axes)
    found = jax.jit(gradients)(inputs, kernels)
    for i in range(4):
        own = inputs[i] if axes[0] == 0 else inputs, kernels[i] if axes[1] == 0 else kernels
        expected = own_gradients(*own)
        for near, exact in zip(jax.tree.leaves(found), jax.tree.leaves(expected), strict=True):
            np.testing.assert_allclose(near[i], exact, rtol=1e-4, atol=1e-4)
    assert "feature_group_count=4" in str(jax.make_jaxpr(jax.vmap(_lax))(*_both()))
    assert "feature_group_count=4" not in str(jax.make_jaxpr(gradients)(inputs, kernels))


def _both():
    return sample(4, *INPUTS.shape), sample(4, *KERNEL.shape)
