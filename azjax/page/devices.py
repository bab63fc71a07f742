"""The devices of the page: one for the rules, the others for searches.

A device computes one thing after another, so that a move on a device that searches would wait for
the whole batch.
"""

import contextlib

import jax

from azjax.support.machine.devices import use_virtual_cpu_devices
from azjax.support.machine.processor import usable_cores


def add_rules_device() -> None:
    """Adds a virtual CPU device to those of the cores, unless a plug-in has started JAX."""
    with contextlib.suppress(RuntimeError):  # it has
        use_virtual_cpu_devices(usable_cores() + 1)


def rules_device() -> jax.Device:
    """Returns the device of the rules: the last of the CPU."""
    return jax.devices("cpu")[-1]


def num_search_devices() -> int:
    """Returns the number of devices that search, the first ones: all but that of the rules."""
    devices = jax.devices()
    return max(1, len(devices) - (devices[-1] == rules_device()))
