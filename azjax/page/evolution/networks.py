"""The networks that a run has kept."""

import pathlib
from typing import NamedTuple

from azjax.page.analysis.players import RUNS
from azjax.page.plugins import require_plugins
from azjax.page.safe_paths import path_below
from azjax.runs.storage.restore import kept_networks
from azjax.runs.storage.run_folders import open_run
from azjax.support.errors import InputError


class RunNetworks(NamedTuple):
    """A run, and the iterations of its networks."""

    name: str  # relative to the folder of runs
    path: pathlib.Path
    game: str
    iterations: tuple[int, ...]  # at least one, in order

    @property
    def final(self) -> int:
        """The iteration of the newest network."""
        return self.iterations[-1]

    def player(self, iteration: int) -> str:
        """Returns the name of the player with the network of an iteration."""
        return f"{RUNS}{self.name}@{iteration}"


def read_networks(runs: pathlib.Path, name: str) -> RunNetworks:
    """Returns the networks of a run.

    Raises:
      InputError: There is no such run, or it has none yet, or it is damaged.
    """
    path = path_below(runs, name)
    try:
        require_plugins(path)
        run = open_run(path)
    except InputError as error:
        raise InputError(str(error).replace(str(path), name)) from error
    iterations = kept_networks(run)
    if not iterations:
        raise InputError(f"{name} has kept no network yet")
    return RunNetworks(name, path, run.config.train.game, tuple(iterations))
