"""Memory: the peak that was used, and what is free for arrays."""

import resource
import sys

import jax
import psutil
from jax.sharding import Mesh

_SPARE = 0.1  # share of the free memory kept for all but the compiled program


def peak_megabytes() -> int:
    """Returns the peak memory of the accelerator, else of the process."""
    statistics = jax.local_devices()[0].memory_stats() or {}
    if "peak_bytes_in_use" in statistics:
        return statistics["peak_bytes_in_use"] // 2**20
    unit = 2**20 if sys.platform == "darwin" else 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // unit


def free_bytes(mesh: Mesh) -> int:
    """Returns the bytes that are free on each device of the mesh; CPU devices share the memory."""
    statistics = mesh.devices.flat[0].memory_stats() or {}
    if "bytes_limit" in statistics:
        free = statistics["bytes_limit"] - statistics["bytes_in_use"]
    else:
        free = psutil.virtual_memory().available // mesh.size
    return int(free * (1 - _SPARE))
