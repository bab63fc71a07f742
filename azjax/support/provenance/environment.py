"""The environment of a result: the versions of packages, and the machine."""

import functools
import importlib.metadata
import platform
from typing import Any

import jax

from azjax.support.machine.memory import total_bytes
from azjax.support.machine.processor import processor_name, usable_cores
from azjax.support.provenance.commit import package_commit, short_commit

_PACKAGES = ("azjax", "jax", "jaxlib", "flax", "optax", "mctx", "chex", "numpy", "orbax-checkpoint")


@functools.cache
def package_versions(*further: str) -> dict[str, str]:
    """Returns the versions of Python, of the packages that training uses, and of further ones."""
    packages = {name: importlib.metadata.version(name) for name in (*_PACKAGES, *further)}
    return packages | {"python": platform.python_version()}


def describe_hardware() -> str:
    """Returns the devices and what the process may use of their machine, in one line."""
    devices, memory = jax.devices(), f"{total_bytes() / 2**30:.0f} GiB memory"
    machine = f"{processor_name()}, {usable_cores()} logical cores, {memory}"
    system = f"{platform.system()} {platform.machine()}"
    return f"{len(devices)} x {devices[0].device_kind}; {machine}; {system}"


def describe_machine(num_devices: int) -> dict[str, Any]:
    """Returns the commit, JAX's version, the hardware, and the number of devices that are used."""
    return {
        "commit": short_commit(package_commit()),
        "jax": jax.__version__,
        "hardware": describe_hardware(),
        "devices": num_devices,
    }
