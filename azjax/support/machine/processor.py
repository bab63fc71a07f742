"""The processor: its name, its instruction sets, and the cores that this process may use."""

import hashlib
import math
import os
import pathlib
import platform

from azjax.support.machine.cgroups import ROOT, cpu_quotas

_CPU_INFO = pathlib.Path("/proc/cpuinfo")  # of Linux


def processor_name() -> str:
    """Returns the processor's name, from Linux if possible, else from Python."""
    return _facts().get("model name") or platform.processor() or platform.machine()


def instruction_sets() -> frozenset[str]:
    """Returns the processor's flags, such as `amx_bf16`; none where Linux does not tell."""
    facts = _facts()
    flags = facts.get("flags") or facts.get("Features", "")  # of x86, and of Arm
    return frozenset(flags.split())


def processor_digest() -> str:
    """Returns a digest of what a compiled program depends on: it runs where this is the same."""
    facts = [platform.system(), platform.machine(), processor_name(), *sorted(instruction_sets())]
    return hashlib.sha256("\n".join(facts).encode()).hexdigest()[:12]


def usable_cores(root: pathlib.Path = ROOT) -> int:
    """Returns the logical cores that this process may use, by its affinity and its cgroups.

    A share of a core counts as one.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return min([cores or 1, *map(math.ceil, cpu_quotas(root))])


def _facts() -> dict[str, str]:
    """Returns what Linux tells of the first core."""
    try:
        first, _, _ = _CPU_INFO.read_text(encoding="utf-8").partition("\n\n")
    except OSError:
        return {}
    pairs = (line.partition(":") for line in first.splitlines())
    return {key.strip(): value.strip() for key, _, value in pairs}
