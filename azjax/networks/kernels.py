"""Kernels of convolutions."""

import jax
import jax.numpy as jnp


def turn(kernel: jax.Array) -> jax.Array:
    """Returns `[3, 3, C_out, C_in]`: what takes a gradient of outputs to that of inputs."""
    return jnp.flip(kernel, (0, 1)).swapaxes(2, 3)
