"""Provenance of results: the versions of packages, and the machine."""

import contextlib
import importlib.metadata
import pathlib
import platform

import jax
import psutil

_PACKAGES = ("azjax", "jax", "jaxlib", "flax", "optax", "mctx", "chex", "numpy", "orbax-checkpoint")


def package_versions(*further: str) -> dict[str, str]:
    """Returns the versions of Python, of the packages that training uses, and of further ones."""
    packages = {name: importlib.metadata.version(name) for name in (*_PACKAGES, *further)}
    return packages | {"python": platform.python_version()}


def describe_hardware() -> str:
    """Returns the devices and their machine, in one line."""
    devices = jax.devices()
    memory = psutil.virtual_memory().total / 2**30
    return (
        f"{len(devices)} x {devices[0].device_kind}; {_processor()}, "
        f"{psutil.cpu_count()} logical cores, {memory:.0f} GiB memory; "
        f"{platform.system()} {platform.machine()}"
    )


def _processor() -> str:
    """Returns the processor's name, from Linux if possible, else from Python."""
    with contextlib.suppress(OSError):
        for line in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
