"""The networks that a run has kept, and what they think of the start."""

import pathlib
from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from azjax.evaluation import PositionSearch
from azjax.games import Game
from azjax.page.analysis.players import RUNS
from azjax.page.runs_folder import path_below, require_plugins
from azjax.runs.storage.checkpoints import saved_iterations
from azjax.runs.storage.run_folders import open_run
from azjax.support.errors import InputError

Source = Literal["search", "network"]
OTHERS = "others"
_MOST_MOVES = 5


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
    iterations = saved_iterations(run.history)
    if not iterations:
        raise InputError(f"{name} has kept no network yet")
    return RunNetworks(name, path, run.config.train.game, tuple(iterations))


def opening_shares(
    game: Game, searches: Sequence[PositionSearch], source: Source
) -> dict[str, list[float]]:
    """Returns by move, of the start, its share after each search, or in the network's prior.

    There are the five moves that are largest in some search, and the others together.
    """
    shares = np.stack(
        [
            found.policy if source == "search" or found.prior is None else found.prior
            for found in searches
        ]
    )
    largest = np.argsort(-shares.max(axis=0), kind="stable")[:_MOST_MOVES]
    chosen = {
        game.format_action(int(action)): shares[:, action].tolist()
        for action in largest
        if shares[:, action].max() > 0
    }
    others = 1 - shares[:, largest].sum(axis=1)
    return chosen | {OTHERS: np.maximum(0.0, others).tolist()}
