"""The log of the sessions of a study or a sweep: command, duration, commit, hardware, versions."""

import contextlib
import dataclasses
import json
import pathlib
import time
from collections.abc import Iterator

from azjax.support.atomic_files import append_line
from azjax.support.provenance.commit import package_commit
from azjax.support.provenance.environment import describe_hardware, package_versions

_FILE = "sessions.jsonl"


@dataclasses.dataclass(frozen=True)
class ScriptSession:
    """One execution of a script on a folder."""

    command: str
    began: float  # Unix time in seconds
    hardware: str
    versions: str
    seconds: float  # of wall-clock time
    commit: str = "unknown"  # of azjax; older logs do not have it


@contextlib.contextmanager
def recorded_session(folder: pathlib.Path, command: str, *packages: str) -> Iterator[None]:
    """Appends the session to the log when it ends; a process that is killed writes nothing.

    Args:
      folder: The folder of the study or the sweep.
      command: The command that started the session.
      *packages: Packages whose versions are recorded, besides those that training uses.
    """
    began = time.time()
    try:
        yield
    finally:
        versions = ", ".join(f"{name} {v}" for name, v in package_versions(*packages).items())
        seconds, commit = time.time() - began, package_commit()
        session = ScriptSession(command, began, describe_hardware(), versions, seconds, commit)
        with (folder / _FILE).open("a", encoding="utf-8") as file:
            append_line(file, json.dumps(dataclasses.asdict(session)))


def read_sessions(folder: pathlib.Path) -> list[ScriptSession]:
    """Returns the recorded sessions, the first one first."""
    lines = (folder / _FILE).read_text(encoding="utf-8").splitlines()
    return [ScriptSession(**json.loads(line)) for line in lines]


def provenance_lines(sessions: list[ScriptSession]) -> list[str]:
    """Returns lines in Markdown: the commits, the hardware and the versions of the sessions."""
    return [
        *(f"- commit: {text}" for text in dict.fromkeys(s.commit for s in sessions)),
        *(f"- hardware: {text}" for text in dict.fromkeys(s.hardware for s in sessions)),
        *(f"- versions: {text}" for text in dict.fromkeys(s.versions for s in sessions)),
    ]
