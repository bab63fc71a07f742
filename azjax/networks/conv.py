"""The 3x3 convolution, in the form that is fastest where it runs.

XLA's CPU backend runs `lax.conv` inside a compiled loop on one core, and its gradient there tens of
times slower than the same arithmetic as matrix products. Self-play and learning are compiled loops,
so on CPU the convolution is written as products; elsewhere `lax.conv` is the vendor's own kernel.
"""

import jax
import jax.numpy as jnp

from azjax.networks.winograd import winograd

# With fewer channels the transforms cost more than the multiplications that they save; on a board
# of 3x3 the tiles are half padding.
_WINOGRAD_MIN_CHANNELS = 16
_WINOGRAD_MIN_SIDE = 4


def conv3x3(inputs: jax.Array, kernel: jax.Array) -> jax.Array:
    """Convolves with zeros around the board, so that the board keeps its size.

    Args:
      inputs: `[B, H, W, C_in]`.
      kernel: `[3, 3, C_in, C_out]`.

    Returns:
      `[B, H, W, C_out]`.
    """
    if jax.default_backend() != "cpu":
        return jax.lax.conv_general_dilated(
            inputs, kernel, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
        )
    if _suits_winograd(inputs, kernel):
        return winograd(inputs, kernel)
    return product(inputs, kernel)


def product(inputs: jax.Array, kernel: jax.Array) -> jax.Array:
    """Convolves as `conv3x3` does, by one matrix product over nine shifted copies."""
    _, height, width, _ = inputs.shape
    padded = jnp.pad(inputs, ((0, 0), (1, 1), (1, 1), (0, 0)))
    shifted = [
        padded[:, row : row + height, column : column + width]
        for row in range(3)
        for column in range(3)
    ]
    return jnp.concatenate(shifted, axis=-1) @ kernel.reshape(-1, kernel.shape[-1])


def _suits_winograd(inputs: jax.Array, kernel: jax.Array) -> bool:
    return (
        min(kernel.shape[2:]) >= _WINOGRAD_MIN_CHANNELS
        and min(inputs.shape[1:3]) >= _WINOGRAD_MIN_SIDE
    )
