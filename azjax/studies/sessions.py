"""The sessions of a study: with what command, how long, on what machine, with what versions."""

import contextlib
import dataclasses
import importlib.metadata
import json
import pathlib
import platform
import shlex
import sys
import time
from collections.abc import Iterator

import jax
import psutil

_FILE = "sessions.jsonl"
_PACKAGES = ("azjax", "jax", "jaxlib", "flax", "optax", "mctx", "numpy", "scipy", "matplotlib")


@dataclasses.dataclass(frozen=True)
class Session:
    """One time that a script worked on a study."""

    command: str
    began: float  # seconds since the epoch
    hardware: str
    versions: str
    seconds: float  # of wall-clock time

    @property
    def day(self) -> str:
        """When it began, in UTC."""
        return time.strftime("%Y-%m-%d %H:%M", time.gmtime(self.began))


@contextlib.contextmanager
def recorded_session(folder: pathlib.Path) -> Iterator[None]:
    """Writes down the session when it ends; one that is killed leaves no trace."""
    began = time.time()
    try:
        yield
    finally:
        command = shlex.join(["python", *sys.argv])
        session = Session(command, began, _hardware(), _versions(), time.time() - began)
        with (folder / _FILE).open("a", encoding="utf-8") as file:
            file.write(json.dumps(dataclasses.asdict(session)) + "\n")


def read_sessions(folder: pathlib.Path) -> list[Session]:
    """Returns the sessions that have ended."""
    lines = (folder / _FILE).read_text(encoding="utf-8").splitlines()
    return [Session(**json.loads(line)) for line in lines]


def _hardware() -> str:
    devices = jax.devices()
    memory = psutil.virtual_memory().total / 2**30
    return (
        f"{len(devices)} x {devices[0].device_kind}; {_processor()}, "
        f"{psutil.cpu_count()} logical cores, {memory:.0f} GiB memory; {platform.platform()}"
    )


def _processor() -> str:
    """Returns the processor's name as Linux tells it, else as Python does."""
    with contextlib.suppress(OSError):
        for line in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _versions() -> str:
    packages = [f"{name} {importlib.metadata.version(name)}" for name in _PACKAGES]
    return ", ".join([f"Python {platform.python_version()}", *packages])
