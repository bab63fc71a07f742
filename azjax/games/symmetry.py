"""Symmetries of a board, as permutations of its cells and of its actions."""

import functools
from typing import NamedTuple

import numpy as np


class Symmetries(NamedTuple):
    """S symmetries, as permutations.

    Symmetry s transforms an observation plane of flat cells `[H * W]` to `plane[cells[s]]`, and a
    policy `[A]` to `policy[actions[s]]`.
    """

    cells: np.ndarray  # [S, H * W] int32
    actions: np.ndarray  # [S, A] int32


def make_symmetries(cells: np.ndarray, actions: np.ndarray) -> Symmetries:
    """Returns read-only symmetries, which all users of a game share."""
    for permutations in (cells, actions):
        permutations.setflags(write=False)
    return Symmetries(cells, actions)


@functools.cache
def identity(num_cells: int, num_actions: int) -> Symmetries:
    """Returns the identity as the only symmetry."""
    cells, actions = (np.arange(size, dtype=np.int32)[None] for size in (num_cells, num_actions))
    return make_symmetries(cells, actions)


def board_symmetries(rows: int, columns: int) -> np.ndarray:
    """Returns [S, rows * columns] int32: the eight of a square, the four of another rectangle."""
    grid = np.arange(rows * columns, dtype=np.int32).reshape(rows, columns)
    views = [grid, grid[::-1], grid[:, ::-1], grid[::-1, ::-1]]
    if rows == columns:
        views += [view.T for view in views]
    return np.stack([view.reshape(-1) for view in views])
