"""GPUs that this machine does not have, described well enough for XLA to compile for them."""

import os
import pathlib

import jax
from jax.experimental import topologies

from azjax.support.errors import InputError

_TARGET = pathlib.Path(__file__).with_name("h100.txtpb")  # what XLA prints of an H100 80GB HBM3
DEVICES_PER_HOST = 8
_INSTALL = "pip install '.[gpu-program]'"


def prepare_compiler() -> None:
    """Sets the environment in which XLA compiles for a GPU without one; before JAX is used.

    Autotuning, which measures kernels, is off.
    """
    os.environ["JAX_PLATFORMS"] = "cpu"
    os.environ["JAX_SKIP_CUDA_CONSTRAINTS_CHECK"] = "1"
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"  # of libraries of the driver that are not there
    flags = os.environ.get("XLA_FLAGS", "")
    os.environ["XLA_FLAGS"] = f"{flags} --xla_gpu_autotune_level=0".strip()
    jax.config.update("jax_platforms", "cpu")


def h100_devices(num_devices: int) -> list[jax.Device]:
    """Returns that many H100s that do not exist, eight on each host.

    Raises:
      InputError: More than one host is not full, or the compiler is not installed.
    """
    if num_devices > DEVICES_PER_HOST and num_devices % DEVICES_PER_HOST:
        raise InputError(
            f"devices={num_devices}: must be up to {DEVICES_PER_HOST}, or a multiple of it for "
            "several hosts"
        )
    num_hosts = max(1, num_devices // DEVICES_PER_HOST)
    try:
        topology = topologies.get_topology_desc(
            "h100",
            platform="cuda",
            target_config=_TARGET.read_text(encoding="utf-8"),
            topology=f"1x{num_hosts}x{num_devices // num_hosts}",
        )
    except (RuntimeError, ValueError, NotImplementedError) as error:
        raise InputError(f"XLA's compiler for GPUs is missing ({error}): {_INSTALL}") from error
    return list(topology.devices)
