"""A training in several processes of this machine, of which faults.py kills one."""

import contextlib
import os
import pathlib
import random
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from typing import NamedTuple

import psutil

SIZE = 4
_SECONDS_UNTIL_LOST = 60.0  # from the loss of a process to the end of the last
_SECONDS_TO_COME = 30  # less, as a process may be killed before it comes
_LAST_PORT = 65_000  # the next one is used too


class Member(NamedTuple):
    """A process of the group, with its supervisor."""

    supervisor: subprocess.Popen
    log: pathlib.Path

    def last_line(self) -> str:
        """Returns the last line that it has printed."""
        return (self.log.read_text().splitlines() or [""])[-1]


@contextlib.contextmanager
def group(command: list[str], folder: pathlib.Path) -> Iterator[list[Member]]:
    """Starts a training as a group of processes, one device each, and yields them.

    Args:
      command: The training.
      folder: Where their logs go.
    """
    folder.mkdir(parents=True, exist_ok=True)
    port, members = _free_port(), []
    try:
        for number in range(SIZE):
            log = folder / f"{number}.log"
            flags = {
                "coordinator-address": f"127.0.0.1:{port}",
                "num-processes": SIZE,
                "process-id": number,
                "initialization-timeout": _SECONDS_TO_COME,
            }
            words = [word for key, v in flags.items() for word in (f"--distributed.{key}", str(v))]
            with log.open("w") as file:
                supervisor = subprocess.Popen(
                    [*command, *words],
                    env={**os.environ, "JAX_NUM_CPU_DEVICES": "1"},
                    stdout=file,
                    stderr=file,
                )
            members.append(Member(supervisor, log))
        yield members
    finally:
        for member in members:  # a process ends when its supervisor does
            member.supervisor.kill()
            member.supervisor.wait()


def wait_for(members: list[Member], seconds: float) -> list[int]:
    """Waits until all have ended, and returns their statuses.

    Raises:
      subprocess.TimeoutExpired: One has not ended.
    """
    deadline = time.monotonic() + seconds
    return [member.supervisor.wait(deadline - time.monotonic()) for member in members]


def have_finished(members: list[Member]) -> bool:
    """Tells whether all have ended without a fault."""
    return all(member.supervisor.poll() == 0 for member in members)


def kill_one(members: list[Member], moments: random.Random) -> int:
    """Kills a random process or its supervisor; returns its number."""
    number = moments.randrange(SIZE)
    pid = members[number].supervisor.pid
    with contextlib.suppress(psutil.NoSuchProcess):
        below = psutil.Process(pid).children()
        pid = below[0].pid if below and moments.random() < 0.5 else pid
        os.kill(pid, signal.SIGKILL)
    return number


def check_loss(members: list[Member], lost: int) -> str | None:
    """Returns what is wrong with how the others end when one is lost.

    They may have finished before, when only its supervisor was left.
    """
    try:
        statuses = wait_for(members, _SECONDS_UNTIL_LOST)
    except subprocess.TimeoutExpired:
        return f"not all have ended {_SECONDS_UNTIL_LOST:.0f} s after process {lost} was lost"
    others = [one for one in zip(members, statuses, strict=True) if one[1] != -signal.SIGKILL]
    if not any(status for _, status in others):
        return None
    for member, status in others:
        if status != 1 or f"process {lost} " not in member.last_line():
            return f"status {status}, {member.last_line()!r}, where process {lost} was lost"
    return None


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return min(probe.getsockname()[1], _LAST_PORT)
