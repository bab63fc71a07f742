"""Files of solved positions as tests read them: by the csv module, not by azjax's reader."""

import csv
import pathlib

import jax
import numpy as np

import azjax
from azjax.games import make

from .replaying import replay

POSITIONS = pathlib.Path(azjax.__file__).parent / "evaluation" / "truth" / "positions"
TERMINAL = pathlib.Path(__file__).parents[1] / "data"
VALUES = {"w": 1, "d": 0, "l": -1}


def read_rows(name):
    """Returns the rows of a file, as tables from column to text."""
    folder = TERMINAL if name.endswith("_terminal") else POSITIONS
    with open(folder / f"{name}.csv", newline="") as file:
        return list(csv.DictReader(file))


class SolvedRecords:
    """A file's positions, each reached by its record of moves."""

    def __init__(self, name):
        self.game, self.rows = make(name), read_rows(name)
        self.records = [self.game.parse_moves(row["moves"]) for row in self.rows]
        self.states, self.replayed_legally = replay(self.game, self.records)
        self.legal = np.asarray(jax.jit(jax.vmap(self.game.legal_action_mask))(self.states))
