"""What containers and batch systems allow a process counts as the machine's cores and memory."""

import os

import psutil
import pytest

from azjax.support.machine.cgroups import cpu_quotas, memory_limits
from azjax.support.machine.memory import available_bytes, total_bytes
from azjax.support.machine.processor import usable_cores


def write(root, files):
    """Writes files, by their paths below the root."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n")


def version_2(root, files, group="/"):
    """Makes a machine with the unified hierarchy, whose process is in `group`."""
    write(root, {"proc/self/cgroup": f"0::{group}"})
    write(root / "sys/fs/cgroup", files)
    return root


@pytest.mark.parametrize(("quota", "cores"), [("150000 100000", 2), ("20000 100000", 1)])
def test_a_quota_limits_the_cores(tmp_path, monkeypatch, quota, cores):
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(8)))
    assert usable_cores(version_2(tmp_path, {"cpu.max": quota})) == cores


def test_the_limits_of_all_ancestors_hold(tmp_path):
    files = {
        "batch/cpu.max": "600000 100000",
        "batch/job/cpu.max": "max 100000",
        "batch/job/step/cpu.max": "900000 100000",
        "batch/memory.max": "4000",
        "batch/memory.current": "1000",
        "batch/job/memory.max": "max",
        "batch/job/step/memory.max": "9000",
        "batch/job/step/memory.current": "8000",
        "other/cpu.max": "100000 100000",
        "other/memory.max": "1",
    }
    root = version_2(tmp_path, files, group="/batch/job/step")
    assert sorted(cpu_quotas(root)) == [6, 9]
    assert sorted(memory_limits(root)) == [(4000, 3000), (9000, 1000)]


def test_memory_is_that_of_the_machine_or_of_the_limit(tmp_path):
    files = {
        "memory.max": "100000",
        "memory.current": "60000",
        "memory.stat": "anon 20000\ninactive_file 30000",
    }
    root = version_2(tmp_path / "2", files)
    assert total_bytes(root) == 100000
    assert available_bytes(root) == 70000  # the kernel drops inactive files
    unlimited = version_2(tmp_path / "max", files | {"memory.max": "max"})
    assert total_bytes(unlimited) == psutil.virtual_memory().total
