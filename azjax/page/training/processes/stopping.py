"""Asks a training to stop, as Ctrl-C does in its terminal: it saves its state first."""

import os
import pathlib
import signal
import socket
from collections.abc import Callable, Sequence

import psutil

from azjax.support.errors import InputError
from azjax.support.ownership import Owner

_PLUGIN = "--plugin"


def stop_training(
    owner: Owner,
    command_of: Callable[[int], list[str]] | None = None,
    send: Callable[[int, int], None] = os.kill,
) -> None:
    """Sends SIGINT to the process that owns a run, if it is an `azjax train` on this machine.

    Args:
      owner: The owner of the run's folder.
      command_of: Returns the command line of a process; that of the operating system if not given.
      send: Sends a signal to a process.

    Raises:
      InputError: The process is another one, or has ended, or belongs to somebody else.
    """
    if owner.pid is None or owner.host != socket.gethostname():
        raise InputError(f"{owner.name} trains it, on another machine: stop it there")
    try:
        words = (command_of or _command_of)(owner.pid)
        if not is_azjax_train(words):
            raise InputError(f"{owner.name} trains it, and is no `azjax train`: stop it there")
        send(owner.pid, signal.SIGINT)
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


def _command_of(pid: int) -> list[str]:
    return psutil.Process(pid).cmdline()
