"""The trainings that the page starts: processes of their own, which outlive it, and their logs."""

import os
import pathlib
import subprocess
import threading
import time
from typing import NamedTuple

from azjax.page.safe_paths import path_below
from azjax.page.training.processes.start_request import process_command, shown_command
from azjax.support.errors import InputError, writing_errors

_LOGS = ".logs"  # a folder that holds no run: its name begins with a dot
_PROMPT = "$ "  # begins the line of a command in a log
_MOST_BYTES = 16_384  # that are read of a log
_MOST_LINES = 20
_ERROR = "azjax: error:"
_TRACEBACK = "Traceback (most recent call last)"


class _Job(NamedTuple):
    process: subprocess.Popen
    began: float  # Unix time in seconds

    @property
    def is_running(self) -> bool:
        return self.process.poll() is None


class Jobs:
    """The processes that this page has started, by the name of their run's folder."""

    def __init__(self, runs: pathlib.Path):
        """Takes the folder of runs."""
        self._runs = runs
        self._jobs: dict[str, _Job] = {}
        self._lock = threading.Lock()

    def start(self, name: str, arguments: list[str]) -> None:
        """Starts `azjax` with these arguments; what it prints is appended to the log of the name.

        Raises:
          InputError: A process of that name runs, or the log cannot be written.
        """
        path = self._log_path(name)
        with self._lock, writing_errors(path):
            if name in self._jobs and self._jobs[name].is_running:
                raise InputError(f"{name} is being trained already")
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("ab") as log:
                log.write(f"{_PROMPT}{shown_command(arguments)}\n".encode())
                log.flush()
                process = subprocess.Popen(
                    process_command(arguments),
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                    env={**os.environ, "PYTHONUNBUFFERED": "1"},
                )
            self._jobs[name] = _Job(process, time.time())

    def running(self) -> dict[str, float]:
        """Returns when those began that have not ended, as Unix time in seconds, by name."""
        with self._lock:
            return {name: job.began for name, job in self._jobs.items() if job.is_running}

    def failed(self) -> list[str]:
        """Returns the names of those that have ended with an error."""
        with self._lock:
            return [name for name, job in self._jobs.items() if job.process.poll()]

    def read_log(self, name: str) -> list[str]:
        """Returns the last lines that the newest process of a name has printed."""
        try:
            with self._log_path(name).open("rb") as log:
                log.seek(max(0, log.seek(0, os.SEEK_END) - _MOST_BYTES))
                text = log.read(_MOST_BYTES).decode("utf-8", "replace")
        except (InputError, OSError):  # the page has not started it
            return []
        return newest_lines(text)

    def failure(self, name: str, since: float) -> str:
        """Returns the line that says why the newest process of a name has failed, or "".

        Args:
          name: The name.
          since: Of a log that has not changed since then, as Unix time in seconds, nothing counts.
        """
        try:
            if self._log_path(name).stat().st_mtime < since:
                return ""
        except (InputError, OSError):
            return ""
        return find_failure(self.read_log(name))

    def _log_path(self, name: str) -> pathlib.Path:
        return path_below(self._runs, f"{_LOGS}/{name}.log")


def newest_lines(text: str) -> list[str]:
    """Returns the last lines of a log after the newest command in it."""
    lines = text.splitlines()
    commands = [i for i, line in enumerate(lines) if line.startswith(_PROMPT)]
    return lines[commands[-1] + 1 if commands else 0 :][-_MOST_LINES:]


def find_failure(lines: list[str]) -> str:
    """Returns the line of a log that says why a process has ended; empty if it did not fail."""
    said = [line for line in lines if line.strip()]
    if not said:
        return ""
    errors = [line for line in said if line.startswith(_ERROR)]
    if any(line.startswith(_TRACEBACK) for line in said):
        return said[-1]
    return errors[-1] if errors else ""
