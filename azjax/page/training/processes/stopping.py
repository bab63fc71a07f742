"""Asks a training to stop, as Ctrl-C does in its terminal: it saves its state first."""

import os
import pathlib
import signal
import socket
from collections.abc import Sequence

import psutil

from azjax.support.errors import InputError
from azjax.support.files.ownership import Owner

_PLUGIN = "--plugin"


def stop_training(owner: Owner) -> None:
    """Sends SIGINT to the process that owns a run, if it is an `azjax train` on this machine.

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
