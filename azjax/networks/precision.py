"""The precision of matrix products: float32, or bfloat16 summed in float32 where that is faster.

Parameters, statistics and outputs are always float32. In bfloat16, activations between layers and
the kernels that multiply them are rounded; so the dtype of the activations selects the precision.
"""

import functools
from typing import Literal

import jax
import jax.numpy as jnp

from azjax.support.machine.processor import instruction_sets
from azjax.support.machine.target import target_device, targets_cpu

Precision = Literal["auto", "float32", "bfloat16"]

_MIN_COMPUTE_CAPABILITY = 8.0  # of GPUs whose tensor cores multiply bfloat16


def activation_dtype(precision: Precision) -> jnp.dtype:
    """Returns the dtype of the activations between layers; "auto" depends on the hardware."""
    if precision == "auto":
        precision = "bfloat16" if _multiplies_bfloat16() else "float32"
    return jnp.dtype(precision)


def product_precision(dtype: jnp.dtype) -> jax.lax.Precision | None:
    """Returns the precision to ask for, so that products of float32 are float32 on every device.

    XLA's default on a GPU is TF32, of 11 significant bits.
    """
    is_rounded = dtype == jnp.float32 and not targets_cpu()
    return jax.lax.Precision.HIGHEST if is_rounded else None


def _multiplies_bfloat16() -> bool:
    return device_multiplies_bfloat16(target_device())


@functools.cache
def device_multiplies_bfloat16(device: jax.Device) -> bool:
    """Tells whether a device has matrix units for bfloat16."""
    if device.platform == "cpu":
        return "amx_bf16" in instruction_sets()
    try:
        return float(device.compute_capability) >= _MIN_COMPUTE_CAPABILITY
    except (AttributeError, ValueError):  # a TPU has none, and AMD's are names such as gfx942
        return True
