"""The device that programs are compiled for: the first of JAX's, unless one elsewhere is meant."""

import contextlib
import contextvars
from collections.abc import Iterator

import jax

_elsewhere: contextvars.ContextVar[jax.Device | None] = contextvars.ContextVar(
    "target", default=None
)


def target_device() -> jax.Device:
    """Returns a device of the kind that programs are compiled for."""
    return _elsewhere.get() or jax.devices()[0]


def device_elsewhere() -> jax.Device | None:
    """Returns the device elsewhere that programs are compiled for; None where JAX has it."""
    return _elsewhere.get()


def targets_cpu() -> bool:
    """Tells whether programs are compiled for a CPU."""
    return target_device().platform == "cpu"


@contextlib.contextmanager
def compiling_for(device: jax.Device) -> Iterator[None]:
    """Compiles, in this thread, for a kind of device that this machine may lack.

    What JAX has traced for another device before, it does not trace again.
    """
    before = _elsewhere.set(device)
    try:
        yield
    finally:
        _elsewhere.reset(before)
