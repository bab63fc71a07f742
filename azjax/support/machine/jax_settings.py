"""The settings of JAX that azjax computes by, whatever the user's are.

Under others the same program has other types and keys: other numbers, and other checkpoints.
"""

import contextlib
from collections.abc import Iterator

import jax


def use_own_settings() -> None:
    """Sets azjax's settings in this process, in all threads."""
    jax.config.update("jax_enable_x64", False)
    jax.config.update("jax_numpy_dtype_promotion", "standard")
    jax.config.update("jax_default_prng_impl", "threefry2x32")
    jax.config.update("jax_threefry_partitionable", True)
    for direction in ("", "_host_to_device", "_device_to_device", "_device_to_host"):
        jax.config.update(f"jax_transfer_guard{direction}", "allow")


@contextlib.contextmanager
def own_settings() -> Iterator[None]:
    """Sets azjax's settings in this thread for a while: a caller may use JAX by other ones."""
    with (
        jax.enable_x64(False),
        jax.numpy_dtype_promotion("standard"),
        jax.default_prng_impl("threefry2x32"),
        jax.threefry_partitionable(True),
        jax.transfer_guard("allow"),
    ):
        yield
