"""Initial kernels, all slices of one sample: a program that samples often compiles slowly."""

import math

import jax
import jax.numpy as jnp

_BOUND = 2.0  # standard deviations
_DEVIATION = 0.87962566103423978  # of a standard normal variable truncated at the bound


class KernelInitializer:
    """Initializes the kernels of a network, in the order of its calls.

    They are truncated normal with a variance of `gain` over the number of inputs (He et al. 2015,
    "Delving Deep into Rectifiers").

    Attributes:
      num_used: The number of values that the kernels so far have taken.
    """

    def __init__(self, values: jax.Array | None = None) -> None:
        """Takes `[N]` values of `sample_truncated_normal`; without values kernels are zeros."""
        self._values = values
        self.num_used = 0

    def __call__(self, shape: tuple[int, ...], gain: float) -> jax.Array:
        """Returns the next kernel; its last axis is that of the outputs."""
        begin, self.num_used = self.num_used, self.num_used + math.prod(shape)
        if self._values is None:
            return jnp.zeros(shape)
        deviation = math.sqrt(gain / math.prod(shape[:-1])) / _DEVIATION
        return deviation * self._values[begin : self.num_used].reshape(shape)


def sample_truncated_normal(key: jax.Array, num: int) -> jax.Array:
    """Samples `[num]` values of a standard normal, truncated at two standard deviations."""
    return jax.random.truncated_normal(key, -_BOUND, _BOUND, (num,))
