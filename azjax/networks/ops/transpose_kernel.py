"""The transpose of a convolution's kernel."""

import jax
import jax.numpy as jnp


def transpose_kernel(kernel: jax.Array) -> jax.Array:
    """Transposes `[C_in, 3, 3, C_out]` to `[C_out, 3, 3, C_in]`, flipped in both board axes.

    The convolution of the outputs' gradient with it is the inputs' gradient.
    """
    return jnp.flip(kernel, (1, 2)).swapaxes(0, 3)
