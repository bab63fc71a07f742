"""Initial kernels, all cut from one draw: a program that draws many times takes long to compile."""

import math

import jax
import jax.numpy as jnp

_BOUND = 2.0  # standard deviations
_DEVIATION = 0.87962566103423978  # of a normal variable that is cut off there


class Draws:
    """Hands out the kernels of a network, one after another.

    They are normal, cut off at two standard deviations, with a variance of `gain` over the number
    of inputs (He et al. 2015, "Delving Deep into Rectifiers").
    """

    def __init__(self, values: jax.Array | None = None) -> None:
        """Takes `[N]` of what `draw` returns; without, the kernels are zeros and are counted."""
        self._values = values
        self.num_used = 0

    def kernel(self, shape: tuple[int, ...], gain: float) -> jax.Array:
        """Returns the next kernel; of its axes the last is that of the outputs."""
        begin, self.num_used = self.num_used, self.num_used + math.prod(shape)
        if self._values is None:
            return jnp.zeros(shape)
        deviation = math.sqrt(gain / math.prod(shape[:-1])) / _DEVIATION
        return deviation * self._values[begin : self.num_used].reshape(shape)


def draw(key: jax.Array, num: int) -> jax.Array:
    """Draws `[num]` values of a normal variable of variance 1 that is cut off."""
    return jax.random.truncated_normal(key, -_BOUND, _BOUND, (num,))
