"""Disks that are full, or that become read-only."""

import contextlib
import pathlib
import shutil
import subprocess
from collections.abc import Iterator

import numpy as np
from fault_injection.subjects import (
    SUBJECTS,
    Finding,
    check_one_line,
    compare,
    result_without_fault,
    run,
)

from azjax.support.errors import RunError

_LARGE = "256m"
_REFUSED = (1, 2)  # statuses of a run that cannot be written, or that cannot begin


def fill_disk(num_disks: int, folder: pathlib.Path) -> Finding:
    """Trains on disks that are full at some write, enlarges them, and goes on.

    They hold 15% to 90% of what the run takes.
    """
    subject, finding = SUBJECTS["train"], Finding()
    with small_disk(folder / "large", _LARGE) as disk:
        expected = result_without_fault(subject, disk)
        whole = shutil.disk_usage(disk).used // 1024
    for kilobytes in (int(share * whole) for share in np.linspace(0.15, 0.9, num_disks)):
        with small_disk(folder / f"disk-{kilobytes}", f"{kilobytes}k") as disk:
            ended = run(subject.begin(disk / "run"))
            problem = check_one_line(ended) if ended.returncode else "the disk was not full"
            mount("-o", f"remount,size={_LARGE}", str(disk))
            problem = problem or compare(subject, disk / "run", expected)
        finding.note(problem, f"a disk of {kilobytes} kB")
    return finding


def make_read_only(folder: pathlib.Path) -> Finding:
    """Makes the disk read-only before a run begins, and before a finished one goes on."""
    subject, finding = SUBJECTS["train"], Finding()
    expected = result_without_fault(subject, folder)
    with small_disk(folder / "read-only", _LARGE) as disk:
        path = disk / "run"
        mount("-o", "remount,ro", str(disk))
        refused = check_one_line(run(subject.begin(path)), _REFUSED)
        finding.note(refused, "a folder that is read-only at the start")
        mount("-o", "remount,rw", str(disk))
        run(subject.begin(path))
        before = subject.result(path)
        mount("-o", "remount,ro", str(disk))
        refused = check_one_line(run([*subject.go_on(path), "--iterations", "80"]), _REFUSED)
        finding.note(refused, "a finished run goes on")
        mount("-o", "remount,rw", str(disk))
        problem = None if subject.result(path) == before == expected else "the run has changed"
        finding.note(problem, "a run that was refused")
    return finding


@contextlib.contextmanager
def small_disk(folder: pathlib.Path, size: str) -> Iterator[pathlib.Path]:
    """Yields a file system in memory; only root can mount one."""
    folder.mkdir()
    mount("-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder))
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def mount(*arguments: str) -> None:
    """Mounts a file system; raises RunError if that is not possible."""
    ended = run(["mount", *arguments])
    if ended.returncode:
        raise RunError(f"a tmpfs cannot be mounted: {ended.stderr.strip()}; it takes root")
