"""`azjax serve`."""

import contextlib
import dataclasses
import functools
import importlib.util
import os
import pathlib
import signal
import sys

from azjax.cli.output import warn
from azjax.cli.process import go_on_without_output
from azjax.config.flags import parse_flags
from azjax.runs.storage.run_folders import is_run
from azjax.support.errors import InputError
from azjax.support.signals import INTERRUPTED
from azjax.support.validation import check_size

_PACKAGES = ("nicegui", "fastapi_offline")


@dataclasses.dataclass(frozen=True)
class ServeOptions:
    """Open the page in the browser: play against agents, watch training, replay its evolution.

    It serves until Ctrl-C. Trainings that it has started go on.
    """

    host: str = "127.0.0.1"
    """The address to listen at. With another one than this machine's own, such as 0.0.0.0, the
    page can be opened from other machines, by the address with a token that is printed."""
    port: int = 8080
    """The port; 0 takes a free one."""
    runs: pathlib.Path = pathlib.Path("runs")
    """The folder of runs."""
    browser: bool = True
    """Open the browser."""

    def __post_init__(self):
        """Raises ValueError if the port is out of range."""
        check_size("port", self.port, 0, 65535)


def serve_command(arguments: list[str]) -> None:
    """Runs `azjax serve ...`."""
    options = parse_flags(ServeOptions, arguments, "azjax serve")
    go_on_without_output()
    if any(importlib.util.find_spec(package) is None for package in _PACKAGES):
        raise InputError("the page needs more packages: pip install 'azjax[page]'")
    _check_runs(options.runs)
    from azjax.page.server import serve

    with contextlib.suppress(KeyboardInterrupt):
        announce = functools.partial(_announce, options.runs)
        serve(options.host, options.port, options.runs, announce, opens_browser=options.browser)
        # It returns if `interrupts` sends the signal again, which must not be raised further on.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    print("azjax: interrupted", file=sys.stderr, flush=True)
    # Not sys.exit, which waits for a program that is being compiled, half a minute perhaps.
    os._exit(INTERRUPTED)


def _check_runs(folder: pathlib.Path) -> None:
    """Raises InputError if the folder of runs can hold none."""
    if is_run(folder):
        parent = folder.absolute().parent
        raise InputError(f"--runs {folder} is a run: give the folder that holds it, {parent}")
    if folder.exists() and not folder.is_dir():
        raise InputError(f"--runs {folder} is no folder")


def _announce(runs: pathlib.Path, address: str) -> None:
    print(f"azjax serves {address}  (Ctrl-C ends it)", flush=True)
    if not runs.exists():
        warn([f"there is no folder {runs} yet: the page shows no runs until one is trained there"])
