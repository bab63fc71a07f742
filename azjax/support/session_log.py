"""The sessions of a study or a sweep: with what command, how long, on what, with what versions."""

import contextlib
import dataclasses
import json
import pathlib
import time
from collections.abc import Iterator

from azjax.support.provenance import hardware, versions

_FILE = "sessions.jsonl"


@dataclasses.dataclass(frozen=True)
class ScriptSession:
    """One time that a script worked on a folder."""

    command: str
    began: float  # seconds since the epoch
    hardware: str
    versions: str
    seconds: float  # of wall-clock time


@contextlib.contextmanager
def recorded_session(folder: pathlib.Path, command: str, *packages: str) -> Iterator[None]:
    """Writes down the session when it ends; one that is killed leaves no trace.

    Args:
      folder: What the script works on.
      command: By which it was called.
      *packages: Whose versions matter, beside those that learning hangs on.
    """
    began = time.time()
    try:
        yield
    finally:
        of_packages = ", ".join(f"{name} {number}" for name, number in versions(*packages).items())
        session = ScriptSession(command, began, hardware(), of_packages, time.time() - began)
        with (folder / _FILE).open("a", encoding="utf-8") as file:
            file.write(json.dumps(dataclasses.asdict(session)) + "\n")


def read_sessions(folder: pathlib.Path) -> list[ScriptSession]:
    """Returns the sessions that have ended."""
    lines = (folder / _FILE).read_text(encoding="utf-8").splitlines()
    return [ScriptSession(**json.loads(line)) for line in lines]


def origins(sessions: list[ScriptSession]) -> list[str]:
    """Returns lines for a report: on what and with what its numbers were made."""
    return [
        *(f"- hardware: {text}" for text in dict.fromkeys(s.hardware for s in sessions)),
        *(f"- versions: {text}" for text in dict.fromkeys(s.versions for s in sessions)),
    ]
