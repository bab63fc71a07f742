"""Actions as planes of the board, for networks that learn what an action does."""

import functools

import numpy as np


@functools.cache
def cell_planes(rows: int, columns: int, num_actions: int) -> np.ndarray:
    """Returns [A, H, W, 1] float32: 1 in the action's cell, zeros for a pass."""
    cells = np.eye(num_actions, rows * columns, dtype=np.float32)
    return _read_only(cells.reshape(num_actions, rows, columns, 1))


@functools.cache
def column_planes(rows: int, columns: int) -> np.ndarray:
    """Returns [W, H, W, 1] float32: 1 in the column whose number is the action's."""
    one_hot = np.eye(columns, dtype=np.float32)[:, None, :, None]
    return _read_only(np.repeat(one_hot, rows, axis=1))


@functools.cache
def number_planes(rows: int, columns: int, num_actions: int) -> np.ndarray:
    """Returns [A, H, W, P] float32: the P binary digits of the action's number, one a plane."""
    num_digits = max(1, (num_actions - 1).bit_length())
    digits = np.arange(num_actions)[:, None] >> np.arange(num_digits) & 1
    shape = num_actions, rows, columns, num_digits
    return _read_only(np.broadcast_to(digits[:, None, None].astype(np.float32), shape).copy())


def _read_only(planes: np.ndarray) -> np.ndarray:
    planes.setflags(write=False)
    return planes
