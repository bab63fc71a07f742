"""The log of the sessions of a study or a sweep: command, duration, commit, hardware, versions."""

import contextlib
import dataclasses
import pathlib
import time
from collections.abc import Iterator

from azjax.support.errors import reading_errors
from azjax.support.files.json_lines import append_json_line, read_json_lines
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
    seconds: float | None  # of wall-clock time; None if it was killed, or has not ended
    commit: str = "unknown"  # of azjax; older logs do not have it


@contextlib.contextmanager
def recorded_session(folder: pathlib.Path, command: str, *packages: str) -> Iterator[None]:
    """Records a session when it begins, and with its duration when it ends.

    The versions of further packages are recorded besides those that training uses.
    """
    began, hardware = time.time(), describe_hardware()
    versions = ", ".join(f"{name} {v}" for name, v in package_versions(*packages).items())
    session = ScriptSession(command, began, hardware, versions, None, package_commit())
    _append(folder, session)
    try:
        yield
    finally:
        _append(folder, dataclasses.replace(session, seconds=time.time() - began))


def read_sessions(folder: pathlib.Path) -> list[ScriptSession]:
    """Returns the recorded sessions in the order in which they began.

    Raises:
      InputError: The log cannot be read, or is damaged.
    """
    path = folder / _FILE
    with reading_errors(path, "; delete it to go on without"):
        recorded = [ScriptSession(**row) for row in read_json_lines(path)]
    return list({(session.began, session.command): session for session in recorded}.values())


def _append(folder: pathlib.Path, session: ScriptSession) -> None:
    append_json_line(folder / _FILE, dataclasses.asdict(session))


def provenance_lines(sessions: list[ScriptSession]) -> list[str]:
    """Returns lines in Markdown: the commits, the hardware and the versions of the sessions."""
    return [
        *(f"- commit: {text}" for text in dict.fromkeys(s.commit for s in sessions)),
        *(f"- hardware: {text}" for text in dict.fromkeys(s.hardware for s in sessions)),
        *(f"- versions: {text}" for text in dict.fromkeys(s.versions for s in sessions)),
    ]
