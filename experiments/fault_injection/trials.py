"""A trial: a training is interrupted, continued by its own command, and compared."""

import collections
import json
import pathlib
import subprocess

from azjax.support.errors import InputError, RunError
from fault_injection.subjects import Subject

MOST_SECONDS = 600.0  # more than any of the commands takes
HAS_NOT_ENDED = f"it has not ended after {MOST_SECONDS:.0f} s"


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
        command, capture_output=True, text=True, cwd=folder, timeout=MOST_SECONDS, check=False
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
    try:
        again = run(subject.go_on(folder))
    except subprocess.TimeoutExpired:
        return HAS_NOT_ENDED
    if again.returncode:
        return f"status {again.returncode} when it is continued: {again.stderr[-300:]}"
    return compare_result(subject, folder, expected)


def compare_result(subject: Subject, folder: pathlib.Path, expected: str) -> str | None:
    """Returns what is wrong with the result of a training that has ended."""
    try:
        found = subject.result(folder)
    except InputError as error:  # a file is missing or damaged
        return f"no result: {error}"
    return None if found == expected else f"result {found!r}, not {expected!r}"


def check_one_line(
    ended: subprocess.CompletedProcess, statuses: tuple[int, ...] = (1,)
) -> str | None:
    """Returns what is wrong with a command that must fail in one line, with such a status."""
    lines = ended.stderr.strip().splitlines()
    if ended.returncode in statuses and len(lines) == 1 and lines[0].startswith("azjax: error: "):
        return None
    return f"status {ended.returncode}, {len(lines)} lines: {ended.stderr}"
