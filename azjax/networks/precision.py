"""The precision of the products: float32, or bfloat16 summed in float32 where that is faster.

Parameters, statistics and outputs are float32 either way. What is rounded to bfloat16 are the
activations and the kernels that they are multiplied with, so the dtype of the activations says
which precision is at work.
"""

import functools
import pathlib
from typing import Literal

import jax
import jax.numpy as jnp

Precision = Literal["auto", "float32", "bfloat16"]

_PROCESSOR = pathlib.Path("/proc/cpuinfo")
_FIRST_GPU = 8.0  # compute capability from which tensor cores multiply bfloat16


def activation_dtype(precision: Precision) -> jnp.dtype:
    """Returns the dtype of the activations between layers; "auto" asks the hardware."""
    if precision == "auto":
        precision = "bfloat16" if _multiplies_bfloat16() else "float32"
    return jnp.dtype(precision)


@functools.cache
def _multiplies_bfloat16() -> bool:
    """Tells whether the first device has units of its own for products of bfloat16."""
    device = jax.devices()[0]
    if device.platform == "cpu":
        return _PROCESSOR.exists() and "amx_bf16" in _PROCESSOR.read_text(encoding="utf-8")
    try:
        return float(device.compute_capability) >= _FIRST_GPU
    except (AttributeError, ValueError):  # a TPU has none, and AMD's are names such as gfx942
        return True
