"""The processes that train: what the page has started, their logs, and how they are stopped."""

import contextlib
import os
import pathlib
import shlex
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from typing import NamedTuple

import psutil

from azjax.page.runs_folder import path_below
from azjax.support.errors import InputError, writing_errors
from azjax.support.files.ownership import Owner

_LOGS = ".logs"  # a folder that holds no run: its name begins with a dot
_PROMPT = "$ "  # begins the line of a command in a log
_MOST_BYTES = 16_384  # that are read of a log
_MOST_LINES = 20
_ERROR = "azjax: error:"
_TRACEBACK = "Traceback (most recent call last)"
_PLUGIN = "--plugin"


def shown_command(arguments: list[str]) -> str:
    """Returns an `azjax` with these arguments as one would write it in a terminal."""
    return shlex.join(["azjax", *arguments])


class _Job(NamedTuple):
    process: subprocess.Popen
    began: float  # Unix time in seconds

    @property
    def is_running(self) -> bool:
        return self.process.poll() is None


class Jobs:
    """The processes that this page has started, which outlive it, by their run's folder."""

    def __init__(self, runs: pathlib.Path):
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
                    [sys.executable, "-m", "azjax", *arguments],
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

    def failures(self) -> dict[str, str]:
        """Returns why those failed that have ended with an error, by name."""
        with self._lock:
            failed = [name for name, job in self._jobs.items() if job.process.poll()]
        return {name: self.failure(name, 0.0) for name in failed}

    def forget(self, name: str) -> None:
        """Lets go of the processes of a name, which have ended, and of their log."""
        with self._lock:
            self._jobs.pop(name, None)
        with contextlib.suppress(InputError):
            self._log_path(name).unlink(missing_ok=True)

    def read_log(self, name: str) -> list[str]:
        """Returns the last lines that the newest process of a name has printed."""
        try:
            with self._log_path(name).open("rb") as log:
                log.seek(max(0, log.seek(0, os.SEEK_END) - _MOST_BYTES))
                lines = log.read(_MOST_BYTES).decode("utf-8", "replace").splitlines()
        except (InputError, OSError):  # the page has not started it
            return []
        commands = [i for i, line in enumerate(lines) if line.startswith(_PROMPT)]
        return lines[commands[-1] + 1 if commands else 0 :][-_MOST_LINES:]

    def failure(self, name: str, since: float) -> str:
        """Returns the line that says why the newest process of a name has failed, or "".

        A log that has not changed since then, a Unix time in seconds, tells nothing.
        """
        try:
            if self._log_path(name).stat().st_mtime < since:
                return ""
        except (InputError, OSError):
            return ""
        said = [line for line in self.read_log(name) if line.strip()]
        if any(line.startswith(_TRACEBACK) for line in said):
            return said[-1]
        return next((line for line in reversed(said) if line.startswith(_ERROR)), "")

    def _log_path(self, name: str) -> pathlib.Path:
        return path_below(self._runs, f"{_LOGS}/{name}.log")


class StopSignals:
    """Sends each process one signal, whoever asks: a second one would stop it at once.

    Threads may share it.
    """

    def __init__(self):
        self._lock = threading.Lock()
        # By process, since when it has owned the newest of its folders: a later process may have
        # the same number.
        self._asked: dict[tuple[str, int | None], float] = {}

    def has_asked(self, owner: Owner) -> bool:
        """Tells whether the process of an owner has been asked to stop."""
        return owner.since <= self._asked.get(owner.process, float("-inf"))

    def send(self, name: str, owners: Sequence[Owner]) -> None:
        """Asks the owners of a run, or of a population, that have not been asked yet to stop.

        `owners` has an entry for each folder that the processes own.

        Raises:
          InputError: None is left to ask, or one cannot be asked.
        """
        with self._lock:
            newest = {owner.process: owner for owner in sorted(owners, key=lambda one: one.since)}
            left = [owner for owner in newest.values() if not self.has_asked(owner)]
            if not left:
                raise InputError(f"{name} is stopping already: it saves its state first")
            for owner in left:
                stop_training(owner)
                self._asked[owner.process] = owner.since


def stop_training(owner: Owner) -> None:
    """Sends SIGINT to the process that owns a run, if it is an `azjax train` on this machine.

    It saves its state first, as after Ctrl-C in its terminal.

    Raises:
      InputError: The process is another one, or has ended, or belongs to somebody else.
    """
    if owner.pid is None or owner.host != socket.gethostname():
        raise InputError(f"{owner.name} trains it, on another machine: stop it there")
    try:
        if not is_azjax_train(psutil.Process(owner.pid).cmdline()):
            raise InputError(f"{owner.name} trains it, and is no `azjax train`: stop it there")
        os.kill(owner.pid, signal.SIGINT)
    except (psutil.NoSuchProcess, ProcessLookupError) as error:
        raise InputError(f"{owner.name} has ended already") from error
    except (psutil.AccessDenied, PermissionError) as error:
        raise InputError(f"{owner.name} belongs to another user: stop it there") from error


def is_azjax_train(words: Sequence[str]) -> bool:
    """Tells whether a command line is `azjax train ...` or `python -m azjax train ...`."""
    starts = [i + 1 for i, word in enumerate(words) if pathlib.PurePath(word).name == "azjax"]
    return any(_without_plugins(words[start:])[:1] == ["train"] for start in starts)


def _without_plugins(words: Sequence[str]) -> list[str]:
    rest = list(words)
    while rest and rest[0].partition("=")[0] == _PLUGIN:
        del rest[: 1 if "=" in rest[0] else 2]
    return rest
