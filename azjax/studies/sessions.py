"""The sessions of a study: with what command, how long, on what machine, with what versions."""

import contextlib
import dataclasses
import json
import pathlib
import shlex
import sys
import time
from collections.abc import Iterator

from azjax.runs.provenance import hardware, versions

_FILE = "sessions.jsonl"


@dataclasses.dataclass(frozen=True)
class Session:
    """One time that a script worked on a study."""

    command: str
    began: float  # seconds since the epoch
    hardware: str
    versions: str
    seconds: float  # of wall-clock time


@contextlib.contextmanager
def recorded_session(folder: pathlib.Path) -> Iterator[None]:
    """Writes down the session when it ends; one that is killed leaves no trace."""
    began = time.time()
    try:
        yield
    finally:
        command = shlex.join(["python", *sys.argv])
        session = Session(command, began, hardware(), _versions(), time.time() - began)
        with (folder / _FILE).open("a", encoding="utf-8") as file:
            file.write(json.dumps(dataclasses.asdict(session)) + "\n")


def read_sessions(folder: pathlib.Path) -> list[Session]:
    """Returns the sessions that have ended."""
    lines = (folder / _FILE).read_text(encoding="utf-8").splitlines()
    return [Session(**json.loads(line)) for line in lines]


def _versions() -> str:
    return ", ".join(f"{name} {version}" for name, version in versions("scipy").items())
