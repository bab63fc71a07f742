"""The symmetries of a board, as permutations of its cells and of its actions."""

from typing import NamedTuple

import numpy as np


class Symmetries(NamedTuple):
    """S symmetries. A position seen through symmetry s has `seen[i] = flat[cells[s, i]]` for the
    flattened H x W cells of every observation plane, and `seen[a] = policy[actions[s, a]]`.
    """

    cells: np.ndarray  # [S, H * W] int32
    actions: np.ndarray  # [S, A] int32


def make_symmetries(cells: np.ndarray, actions: np.ndarray) -> Symmetries:
    """Returns the symmetries, read-only: a game's are shared by all who ask for them."""
    for permutations in (cells, actions):
        permutations.setflags(write=False)
    return Symmetries(cells, actions)


def board_symmetries(rows: int, columns: int) -> np.ndarray:
    """Returns [S, rows * columns] int32: the eight of a square, the four of another rectangle."""
    grid = np.arange(rows * columns, dtype=np.int32).reshape(rows, columns)
    seen = [grid, grid[::-1], grid[:, ::-1], grid[::-1, ::-1]]
    if rows == columns:
        seen += [view.T for view in seen]
    return np.stack([view.reshape(-1) for view in seen])
