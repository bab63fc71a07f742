"""Commands that a report quotes, run in processes of their own."""

import os
import pathlib
import shlex
import subprocess
import sys

from azjax.cli.output import console
from azjax.support.errors import RunError
from azjax.support.signals import INTERRUPTED

_EXPERIMENTS = pathlib.Path(__file__).parents[1]

Command = list[str]  # the arguments of Python


def script(name: str) -> str:
    """Returns the path of a script of the experiments, relative to the working directory."""
    return os.path.relpath(_EXPERIMENTS / name)


def quote(command: Command) -> str:
    """Returns a command as a shell takes it."""
    return f"python {shlex.join(command)}"


def call(command: Command, **environment: str) -> list[str]:
    """Runs Python with arguments and these variables; prints its output, and returns the lines.

    Raises:
      KeyboardInterrupt: A signal asked the command to stop.
      RunError: The command failed.
    """
    console.print(quote(command), soft_wrap=True)
    lines = []
    with subprocess.Popen(
        [sys.executable, *command], stdout=subprocess.PIPE, text=True, env=os.environ | environment
    ) as process:
        assert process.stdout
        for line in process.stdout:
            print(line, end="", flush=True)
            lines.append(line)
    if process.returncode == INTERRUPTED:
        raise KeyboardInterrupt
    if process.returncode:
        raise RunError(f"{quote(command[:3])} ended with code {process.returncode}")
    return lines
