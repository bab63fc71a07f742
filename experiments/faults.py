"""Answers: does azjax lose anything when a process is killed, or a disk is full?

python experiments/faults.py --kills 100 --memory-minutes 120

It trains small runs, populations, studies and sweeps, and interrupts them: SIGKILL at random
moments, also of one of four processes of a run; a disk of a few megabytes that is full, or that
becomes read-only (a tmpfs, which only root can mount); a gradient that is not a number; a clock
that is set back. Each is continued by the same command or by --resume, and compared with one that
nothing has interrupted. Then it trains for some time and watches the memory. It prints JSON lines,
and ends with status 1 if anything differs.
"""

import collections
import contextlib
import dataclasses
import functools
import itertools
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from typing import Any, Literal, get_args

import fault_groups
import jax
import psutil
from fault_subjects import SUBJECTS, Subject

from azjax.benchmarks.measure import describe_machine
from azjax.cli.process import exit_with_one_line
from azjax.config.flags import parse_flags
from azjax.support.errors import RunError
from azjax.support.signals import INTERRUPTED
from azjax.support.validation import check_above, check_at_least

_SECONDS = 600.0  # more than any of the commands takes
_DISK_KILOBYTES = (200, 400, 600, 800, 1000, 1400)  # full at different writes
_LARGE = "256m"
_REFUSED = (1, 2)  # statuses of a run that cannot be written, or that cannot begin
_NAN = """
import dataclasses
import jax.numpy as jnp
import azjax
from azjax.training import alphazero

def make_batch(context, replay, targets, positions):
    batch = alphazero.make_batch(context, replay, targets, positions)
    factor = jnp.where(replay.num_written > 100, jnp.nan, 1.0)
    return batch._replace(action_weights=batch.action_weights * factor)

azjax.register_algorithm("spoilt", dataclasses.replace(alphazero, make_batch=make_batch))
"""
# The clock goes back by a day after the first checkpoint; the monotonic one goes on.
_CLOCK = """
import sys, time
from azjax.cli import main
from azjax.runs.storage.checkpoints import Checkpoints
now, save, offset = time.time, Checkpoints.save, 0.0

def save_and_set_back(*arguments, **settings):
    global offset
    save(*arguments, **settings)
    offset = 86400.0

time.time = lambda: now() - offset
Checkpoints.save = save_and_set_back
sys.argv = sys.argv[1:]
main()
assert offset
"""

Campaign = Literal["kills", "group_kills", "disk", "read_only", "nan", "clock", "memory"]


@dataclasses.dataclass(frozen=True)
class FaultOptions:
    """Interrupt small trainings in many ways, continue them, and compare."""

    kills: int = 100
    """SIGKILLs at random moments, over all kinds of training in turn."""
    group_kills: int = 20
    """SIGKILLs of one of four processes that train a run together, or of its supervisor."""
    memory_minutes: float = 120.0
    """Minutes of training whose memory is watched."""
    campaigns: tuple[Campaign, ...] = get_args(Campaign)
    """Which faults."""
    seed: int = 0
    """The seed of the moments."""

    def __post_init__(self):
        """Raises ValueError if a number is out of range."""
        check_at_least("kills", self.kills, 1)
        check_at_least("group_kills", self.group_kills, 1)
        check_above("memory_minutes", self.memory_minutes, 0)


class Finding(collections.Counter):
    """How many trials of a campaign there were, and how many of them have failed."""

    def note(self, problem: str | None, what: str) -> None:
        """Counts a trial, and prints what is wrong with it."""
        self["trials"] += 1
        if problem:
            self["failures"] += 1
            print(json.dumps({"failure": what, "problem": problem}), flush=True)


def run(command: list[str], folder: pathlib.Path | None = None) -> subprocess.CompletedProcess:
    """Runs a command to its end, in a folder or in this one."""
    return subprocess.run(
        command, capture_output=True, text=True, cwd=folder, timeout=_SECONDS, check=False
    )


def result_without_fault(subject: Subject, folder: pathlib.Path) -> str:
    """Returns the result of a training that nothing interrupts.

    Raises:
      RunError: It fails.
    """
    ended = run(subject.begin(folder / "whole"))
    if ended.returncode:
        raise RunError(f"a training fails without a fault: {ended.stderr[-300:]}")
    return subject.result(folder / "whole")


def compare(subject: Subject, folder: pathlib.Path, expected: str) -> str | None:
    """Continues a training to its end; returns what is wrong."""
    again = run(subject.go_on(folder))
    if again.returncode:
        return f"status {again.returncode} when it is continued: {again.stderr[-300:]}"
    found = subject.result(folder)
    return None if found == expected else f"result {found!r}, not {expected!r}"


def check_one_line(
    ended: subprocess.CompletedProcess, statuses: tuple[int, ...] = (1,)
) -> str | None:
    """Returns what is wrong with a command that must fail in one line, with such a status."""
    lines = ended.stderr.strip().splitlines()
    if ended.returncode in statuses and len(lines) == 1 and lines[0].startswith("azjax: error: "):
        return None
    return f"status {ended.returncode}, {len(lines)} lines: {ended.stderr[-300:]}"


def kill_at_random(options: FaultOptions, folder: pathlib.Path) -> Finding:
    """Kills each kind of training at moments that are uniform over its duration."""
    moments, finding = random.Random(options.seed), Finding()

    @functools.cache
    def whole(name: str) -> tuple[str, float]:
        """Returns the result of a training that nothing interrupts, and its seconds."""
        run(SUBJECTS[name].begin(folder / f"{name}-first"))  # the others read what it compiles
        began = time.monotonic()
        expected = result_without_fault(SUBJECTS[name], folder / name)
        return expected, time.monotonic() - began

    names = itertools.cycle(SUBJECTS)
    while finding["trials"] < options.kills:
        name = next(names)
        expected, seconds = whole(name)
        path = folder / f"{name}-{moments.random()}"
        moment = moments.uniform(0, seconds)
        if kill_after(moment, SUBJECTS[name].begin(path)):
            finding.note(compare(SUBJECTS[name], path, expected), f"{name} after {moment:.2f} s")
    return finding


def kill_one_of_several(options: FaultOptions, folder: pathlib.Path) -> Finding:
    """Kills one of several processes of a run, which all end then, and starts all of them again."""
    subject, moments, finding = SUBJECTS["train"], random.Random(options.seed), Finding()
    began = time.monotonic()
    if problem := train_in_group(subject.begin(folder / "whole"), folder / "logs"):
        raise RunError(f"a training fails without a fault: {problem}")
    seconds, expected = time.monotonic() - began, subject.result(folder / "whole")
    while finding["trials"] < options.group_kills:
        path, moment = folder / str(moments.random()), moments.uniform(0, seconds)
        with fault_groups.group(subject.begin(path), folder / "logs") as members:
            time.sleep(moment)
            lost = fault_groups.kill_one(members, moments)
            problem = fault_groups.check_loss(members, lost)
        if fault_groups.have_finished(members):
            continue
        problem = problem or train_in_group(subject.go_on(path), folder / "logs")
        if not problem and (found := subject.result(path)) != expected:
            problem = f"result {found!r}, not {expected!r}"
        finding.note(problem, f"process {lost} of a run after {moment:.2f} s")
    return finding


def train_in_group(command: list[str], logs: pathlib.Path) -> str | None:
    """Runs a training in several processes to its end; returns what is wrong."""
    with fault_groups.group(command, logs) as members:
        fault_groups.wait_for(members, _SECONDS)
    return None if fault_groups.have_finished(members) else members[0].last_line()


def kill_after(seconds: float, command: list[str]) -> bool:
    """Starts a command and kills it; returns whether it had not ended before."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(seconds)
    process.kill()
    return process.wait() == -signal.SIGKILL


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
    """Mounts a file system.

    Raises:
      RunError: It is not possible.
    """
    ended = run(["mount", *arguments])
    if ended.returncode:
        raise RunError(f"a tmpfs cannot be mounted: {ended.stderr.strip()}; it takes root")


def fill_disk(options: FaultOptions, folder: pathlib.Path) -> Finding:
    """Trains on disks that are full at some write, enlarges them, and goes on."""
    del options
    subject, finding = SUBJECTS["train"], Finding()
    expected = result_without_fault(subject, folder)
    for kilobytes in _DISK_KILOBYTES:
        with small_disk(folder / f"disk-{kilobytes}", f"{kilobytes}k") as disk:
            ended = run(subject.begin(disk / "run"))
            problem = check_one_line(ended) if ended.returncode else "the disk was not full"
            mount("-o", f"remount,size={_LARGE}", str(disk))
            problem = problem or compare(subject, disk / "run", expected)
        finding.note(problem, f"a disk of {kilobytes} kB")
    return finding


def make_read_only(options: FaultOptions, folder: pathlib.Path) -> Finding:
    """Makes the disk read-only while a run trains, then writable again, and goes on."""
    del options
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


def spoil_gradient(options: FaultOptions, folder: pathlib.Path) -> Finding:
    """Trains with a gradient that is not a number from some iteration on."""
    del options
    finding = Finding()
    (folder / "spoilt.py").write_text(_NAN)
    subject, path = SUBJECTS["train"], folder / "run"
    command = [*subject.begin(path), "--plugin", "spoilt", "--algorithm", "spoilt"]
    ended = run(command, folder)
    problem = check_one_line(ended)
    if not problem and "the loss is not finite at iteration" not in ended.stderr:
        problem = ended.stderr
    finding.note(problem, "a gradient that is not a number")
    return finding


def set_clock_back(options: FaultOptions, folder: pathlib.Path) -> Finding:
    """Trains while the clock goes back by a day, and goes on by the right clock."""
    del options
    subject, finding = SUBJECTS["train"], Finding()
    expected, path = result_without_fault(subject, folder), folder / "run"
    command = subject.begin(path)
    ended = run([command[0], "-c", _CLOCK, "azjax", *command[3:]])
    problem = f"status {ended.returncode}: {ended.stderr[-300:]}" if ended.returncode else None
    finding.note(problem or compare(subject, path, expected), "a clock set back")
    return finding


def watch_memory(options: FaultOptions, folder: pathlib.Path) -> Finding:
    """Trains Connect Four, and compares the memory of the process over time."""
    finding, sizes = Finding(), []
    command = [sys.executable, "-m", "azjax", "train", "connect_four", "--out", str(folder / "run")]
    process = subprocess.Popen([*command, "--minutes", "1000"], stdout=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 60 * options.memory_minutes
        while time.monotonic() < deadline:
            time.sleep(min(30.0, 2 * options.memory_minutes))
            sizes.append(psutil.Process(process.pid).memory_info().rss / 2**20)
        process.send_signal(signal.SIGTERM)
        if process.wait(_SECONDS) != INTERRUPTED:
            raise RunError(f"the training has ended with status {process.returncode}")
    finally:
        process.kill()
        process.wait()
    settled = sizes[len(sizes) // 4 :]  # after compilation and the first evaluations
    third = max(1, len(settled) // 3)
    first, last = (sum(part) / len(part) for part in (settled[:third], settled[-third:]))
    growth = last / first - 1
    print(json.dumps({"memory_mb": [round(first), round(last)], "growth": round(growth, 4)}))
    finding.note(None if growth <= 0.02 else f"the memory has grown by {growth:.1%}", "memory")
    return finding


_CAMPAIGNS: dict[str, Any] = {
    "kills": kill_at_random,
    "group_kills": kill_one_of_several,
    "disk": fill_disk,
    "read_only": make_read_only,
    "nan": spoil_gradient,
    "clock": set_clock_back,
    "memory": watch_memory,
}


def main(arguments: list[str] | None = None) -> None:
    """Runs the campaigns of the arguments."""
    with exit_with_one_line():
        options = parse_flags(FaultOptions, arguments or sys.argv[1:], pathlib.Path(__file__).name)
        print(
            json.dumps(describe_machine(jax.local_device_count()) | {"kills": options.kills}),
            flush=True,
        )
        has_failed = False
        for name in options.campaigns:
            with tempfile.TemporaryDirectory() as folder:
                began = time.monotonic()
                finding = _CAMPAIGNS[name](options, pathlib.Path(folder))
            has_failed |= finding["failures"] > 0
            seconds = round(time.monotonic() - began)
            counts = {key: finding[key] for key in ("trials", "failures")}
            print(json.dumps({"campaign": name, **counts, "seconds": seconds}), flush=True)
        sys.exit(int(has_failed))


if __name__ == "__main__":
    os.environ.setdefault("JAX_DISABLE_MOST_OPTIMIZATIONS", "1")  # the runs are tiny
    main()
