"""Kernels of convolutions: `[C_in, 3, 3, C_out]`, the nine matrices of an input side by side."""

import jax
import jax.numpy as jnp


def transpose_kernel(kernel: jax.Array) -> jax.Array:
    """Returns `[C_out, 3, 3, C_in]`: what takes a gradient of outputs to that of inputs."""
    return jnp.flip(kernel, (1, 2)).swapaxes(0, 3)
