"""Memory: how much a process has used, and how much there is left for arrays."""

import resource
import sys

import jax
import psutil
from jax.sharding import Mesh

_SPARE = 0.1  # of what is free, for all that is not the compiled program's


def peak_megabytes() -> int:
    """Returns the accelerator's peak, or where there is none the process's."""
    statistics = jax.local_devices()[0].memory_stats() or {}
    if "peak_bytes_in_use" in statistics:
        return statistics["peak_bytes_in_use"] // 2**20
    unit = 2**20 if sys.platform == "darwin" else 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // unit


def free_bytes(mesh: Mesh) -> int:
    """Returns the bytes that each of the mesh's devices may still use; CPU devices share them."""
    statistics = mesh.devices.flat[0].memory_stats() or {}
    if "bytes_limit" in statistics:
        free = statistics["bytes_limit"] - statistics["bytes_in_use"]
    else:
        free = psutil.virtual_memory().available // mesh.size
    return int(free * (1 - _SPARE))
