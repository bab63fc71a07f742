"""Limits of control groups, of version 1 and 2: containers and batch systems set them.

A process belongs to a group of each hierarchy. The limits of a group and of all its ancestors hold.
"""

import contextlib
import pathlib
from collections.abc import Iterator

ROOT = pathlib.Path("/")


def cpu_quotas(root: pathlib.Path = ROOT) -> Iterator[float]:
    """Yields the processor time per second of wall-clock time of each group that has a limit."""
    for group in _groups("cpu", root):
        version_1 = *_numbers(group / "cpu.cfs_quota_us"), *_numbers(group / "cpu.cfs_period_us")
        for numbers in (_numbers(group / "cpu.max"), version_1):
            if len(numbers) == 2 and min(numbers) > 0:  # version 1 writes -1 for no limit
                yield numbers[0] / numbers[1]


def memory_limits(root: pathlib.Path = ROOT) -> Iterator[tuple[int, int]]:
    """Yields the limit of memory, and what is free up to it, of each group that has one, in bytes.

    Files that the kernel drops from its cache before it runs out of memory count as free.
    """
    for group in _groups("memory", root):
        for limit_file, use_file, cache in (
            ("memory.max", "memory.current", "inactive_file"),
            ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
        ):
            limit, used = _numbers(group / limit_file), _numbers(group / use_file)
            if limit and used:
                in_use = max(0, used[0] - _statistic(group / "memory.stat", cache))
                yield limit[0], max(0, limit[0] - in_use)


def _groups(controller: str, root: pathlib.Path) -> Iterator[pathlib.Path]:
    """Yields the folders of this process's groups with their ancestors.

    A container sees its own group as the top, while the path may be the host's: then the folder of
    the path is missing, and the top has the limits.
    """
    for line in _lines(root / "proc/self/cgroup"):
        _, controllers, path = line.split(":", 2)
        if not controllers or controller in controllers.split(","):
            top = root / "sys/fs/cgroup" / (controller if controllers else "")
            group = top / path.strip("/")
            yield from (group, *(p for p in group.parents if p.is_relative_to(top)))


def _lines(path: pathlib.Path) -> list[str]:
    with contextlib.suppress(OSError, UnicodeDecodeError):
        return path.read_text(encoding="utf-8").splitlines()
    return []


def _numbers(path: pathlib.Path) -> tuple[int, ...]:
    """Returns the numbers in a file; none if there is no such file, or it says "max"."""
    words = " ".join(_lines(path)).split()
    with contextlib.suppress(ValueError):
        return tuple(int(word) for word in words)
    return ()


def _statistic(path: pathlib.Path, name: str) -> int:
    return int(dict(line.split(" ", 1) for line in _lines(path)).get(name, 0))
