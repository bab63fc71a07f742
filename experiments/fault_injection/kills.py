"""SIGKILL at random moments."""

import contextlib
import functools
import itertools
import pathlib
import random
import signal
import subprocess
import time
from collections.abc import Sequence

from azjax.support.errors import RunError
from fault_injection import groups
from fault_injection.subjects import SUBJECTS
from fault_injection.trials import (
    HAS_NOT_ENDED,
    MOST_SECONDS,
    Finding,
    compare,
    compare_result,
    result_without_fault,
    run,
)


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
        if kill_after(moment, SUBJECTS[name].begin(path)):
            finding.note(compare(SUBJECTS[name], path, expected), f"{name} after {moment:.2f} s")
    return finding


def kill_after(seconds: float, command: list[str]) -> bool:
    """Starts a command and kills it; returns whether it had not ended before."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(seconds)
    process.kill()
    return process.wait() == -signal.SIGKILL


def kill_one_of_several(num_kills: int, seed: int, folder: pathlib.Path) -> Finding:
    """Kills one of several processes of a run, which all end then, and starts all of them again."""
    subject, moments, finding = SUBJECTS["train"], random.Random(seed), Finding()
    began = time.monotonic()
    if problem := train_in_group(subject.begin(folder / "whole"), folder / "logs"):
        raise RunError(f"a training fails without a fault: {problem}")
    seconds, expected = time.monotonic() - began, subject.result(folder / "whole")
    while finding["trials"] < num_kills:
        path, moment = folder / str(moments.random()), moments.uniform(0, seconds)
        with groups.group(subject.begin(path), folder / "logs") as members:
            time.sleep(moment)
            lost = groups.kill_one(members, moments)
            problem = groups.check_loss(members, lost)
        if groups.have_finished(members):
            continue
        problem = problem or train_in_group(subject.go_on(path), folder / "logs")
        problem = problem or compare_result(subject, path, expected)
        finding.note(problem, f"process {lost} of a run after {moment:.2f} s")
    return finding


def train_in_group(command: list[str], logs: pathlib.Path) -> str | None:
    """Runs a training in several processes to its end; returns what is wrong."""
    with groups.group(command, logs) as members:
        try:
            groups.wait_for(members, MOST_SECONDS)
        except subprocess.TimeoutExpired:
            return HAS_NOT_ENDED
    return None if groups.have_finished(members) else members[0].last_line()
