"""Memory: how much there is, the peak that was used, and what is free for arrays."""

import pathlib
import resource
import sys

import jax
import psutil
from jax.sharding import Mesh

from azjax.support.machine.cgroups import ROOT, memory_limits

_SPARE = 0.1  # share of the free memory kept for all but the compiled program


def total_bytes(root: pathlib.Path = ROOT) -> int:
    """Returns the memory that this process may use: the machine's, or the limit of its cgroups."""
    return min([psutil.virtual_memory().total, *(limit for limit, _ in memory_limits(root))])


def available_bytes(root: pathlib.Path = ROOT) -> int:
    """Returns the memory that is free on the machine and within the limits of the cgroups."""
    return min([psutil.virtual_memory().available, *(free for _, free in memory_limits(root))])


def peak_megabytes() -> int:
    """Returns the peak memory of the accelerator, else of the process."""
    statistics = jax.local_devices()[0].memory_stats() or {}
    if "peak_bytes_in_use" in statistics:
        return statistics["peak_bytes_in_use"] // 2**20
    unit = 2**20 if sys.platform == "darwin" else 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // unit


def free_bytes(mesh: Mesh) -> int:
    """Returns the bytes that are free on each of this process's devices; CPUs share the memory."""
    devices = mesh.local_devices
    statistics = devices[0].memory_stats() or {}
    if "bytes_limit" in statistics:
        free = statistics["bytes_limit"] - statistics["bytes_in_use"]
    else:
        free = available_bytes() // len(devices)
    return int(free * (1 - _SPARE))
