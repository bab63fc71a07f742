"""Read-only tables of a board: its symmetries, and actions as planes for networks."""

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
    return Symmetries(read_only(cells), read_only(actions))


def read_only(table: np.ndarray) -> np.ndarray:
    """Returns a table that cannot be written to any more."""
    table.setflags(write=False)
    return table


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


@functools.cache
def cell_planes(rows: int, columns: int, num_actions: int) -> np.ndarray:
    """Returns [A, H, W, 1] float32: 1 in the action's cell, zeros for a pass."""
    cells = np.eye(num_actions, rows * columns, dtype=np.float32)
    return read_only(cells.reshape(num_actions, rows, columns, 1))


@functools.cache
def column_planes(rows: int, columns: int) -> np.ndarray:
    """Returns [W, H, W, 1] float32: 1 in the column whose number is the action's."""
    one_hot = np.eye(columns, dtype=np.float32)[:, None, :, None]
    return read_only(np.repeat(one_hot, rows, axis=1))


@functools.cache
def number_planes(rows: int, columns: int, num_actions: int) -> np.ndarray:
    """Returns [A, H, W, P] float32: the P binary digits of the action's number, one a plane."""
    num_digits = max(1, (num_actions - 1).bit_length())
    digits = np.arange(num_actions)[:, None] >> np.arange(num_digits) & 1
    shape = num_actions, rows, columns, num_digits
    return read_only(np.broadcast_to(digits[:, None, None].astype(np.float32), shape).copy())
