"""SIGKILL at random moments: of a training, and of one of several processes that train together."""

import contextlib
import functools
import itertools
import os
import pathlib
import random
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from fault_injection.subjects import (
    HAS_NOT_ENDED,
    MOST_SECONDS,
    SUBJECTS,
    Finding,
    compare,
    compare_result,
    result_without_fault,
    run,
)

from azjax.support.errors import RunError

_SIZE = 4  # processes of a group
_SECONDS_UNTIL_LOST = 60.0  # from the loss of a process to the end of the last
_SECONDS_TO_COME = 30  # less, as a process may be killed before it comes


def kill_at_random(
    subjects: Sequence[str], num_kills: int, seed: int, folder: pathlib.Path
) -> Finding:
    """Kills the subjects in turn, at moments that are uniform over their duration."""
    moments, finding = random.Random(seed), Finding()

    @functools.cache
    def whole(name: str) -> tuple[str, float]:
        """Returns the result of a training that nothing interrupts, and its seconds."""
        run(SUBJECTS[name].begin(folder / f"{name}-first"))  # the others read what it compiles
        began = time.monotonic()
        expected = result_without_fault(SUBJECTS[name], folder / name)
        return expected, time.monotonic() - began

    names = itertools.cycle(subjects)
    while finding["trials"] < num_kills:
        name = next(names)
        expected, seconds = whole(name)
        path = folder / f"{name}-{moments.random()}"
        moment = moments.uniform(0, seconds)
        if _kill_after(moment, SUBJECTS[name].begin(path)):
            finding.note(compare(SUBJECTS[name], path, expected), f"{name} after {moment:.2f} s")
    return finding


def kill_one_of_several(num_kills: int, seed: int, folder: pathlib.Path) -> Finding:
    """Kills one of several processes of a run, which all end then, and starts all of them again."""
    subject, moments, finding = SUBJECTS["train"], random.Random(seed), Finding()
    began = time.monotonic()
    if problem := _train_in_group(subject.begin(folder / "whole"), folder / "logs"):
        raise RunError(f"a training fails without a fault: {problem}")
    seconds, expected = time.monotonic() - began, subject.result(folder / "whole")
    while finding["trials"] < num_kills:
        path, moment = folder / str(moments.random()), moments.uniform(0, seconds)
        with _group(subject.begin(path), folder / "logs") as members:
            time.sleep(moment)
            lost = _kill_one(members, moments)
            problem = _check_loss(members, lost)
        if _have_finished(members):
            continue
        problem = problem or _train_in_group(subject.go_on(path), folder / "logs")
        problem = problem or compare_result(subject, path, expected)
        finding.note(problem, f"process {lost} of a run after {moment:.2f} s")
    return finding


def _kill_after(seconds: float, command: list[str]) -> bool:
    """Starts a command and kills it; returns whether it had not ended before."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(seconds)
    process.kill()
    return process.wait() == -signal.SIGKILL


class _Member(NamedTuple):
    """A process of a group."""

    process: subprocess.Popen
    log: pathlib.Path

    def last_line(self) -> str:
        """Returns the last line that it has printed."""
        return (self.log.read_text().splitlines() or [""])[-1]


@contextlib.contextmanager
def _group(command: list[str], logs: pathlib.Path) -> Iterator[list[_Member]]:
    """Starts a training as a group of processes, one device each, and yields them."""
    logs.mkdir(parents=True, exist_ok=True)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    members = []
    try:
        for number in range(_SIZE):
            flags = {
                "coordinator-address": f"127.0.0.1:{port}",
                "num-processes": _SIZE,
                "process-id": number,
                "initialization-timeout": _SECONDS_TO_COME,
            }
            words = [word for key, v in flags.items() for word in (f"--distributed.{key}", str(v))]
            environment, log = {**os.environ, "JAX_NUM_CPU_DEVICES": "1"}, logs / f"{number}.log"
            with log.open("w") as file:
                process = subprocess.Popen(
                    [*command, *words], env=environment, stdout=file, stderr=file
                )
            members.append(_Member(process, log))
        yield members
    finally:
        for member in members:
            member.process.kill()
            member.process.wait()


def _train_in_group(command: list[str], logs: pathlib.Path) -> str | None:
    """Runs a training in several processes to its end; returns what is wrong."""
    with _group(command, logs) as members:
        try:
            _wait_for(members, MOST_SECONDS)
        except subprocess.TimeoutExpired:
            return HAS_NOT_ENDED
    return None if _have_finished(members) else members[0].last_line()


def _wait_for(members: list[_Member], seconds: float) -> list[int]:
    """Returns the statuses once all have ended; raises TimeoutExpired where one does not."""
    deadline = time.monotonic() + seconds
    return [member.process.wait(deadline - time.monotonic()) for member in members]


def _have_finished(members: list[_Member]) -> bool:
    return all(member.process.poll() == 0 for member in members)


def _kill_one(members: list[_Member], moments: random.Random) -> int:
    """Kills a random process; returns its number."""
    number = moments.randrange(_SIZE)
    members[number].process.kill()
    return number


def _check_loss(members: list[_Member], lost: int) -> str | None:
    """Returns what is wrong with how the others end when one is lost.

    They may have finished before.
    """
    try:
        statuses = _wait_for(members, _SECONDS_UNTIL_LOST)
    except subprocess.TimeoutExpired:
        return f"not all have ended {_SECONDS_UNTIL_LOST:.0f} s after process {lost} was lost"
    others = [status for number, status in enumerate(statuses) if number != lost]
    return None if all(others) or not any(others) else f"statuses {statuses}"
