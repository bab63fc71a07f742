"""Frozen networks that prefer the cells of tic-tac-toe in an order, and the replies in replay."""

from typing import Any, NamedTuple

import numpy as np

from .tiny import legal_at

CELLS = 9


class Replies(NamedTuple):
    """R positions to reply to, and the replies."""

    legal: np.ndarray  # [R, 9] bool
    cell: np.ndarray  # [R]


def preferring(variables: Any, first: np.ndarray) -> Any:
    """Returns the variables of networks sure of the cell `first`, then of those that follow it.

    Args:
      variables: Of an mlp, or [P, ...] of a pool.
      first: [], or [P] for a pool.
    """
    rank = (np.arange(CELLS) - np.asarray(first)[..., None]) % CELLS
    params = dict(variables.params)
    params["heads"] = dict(params["heads"])
    head = dict(params["heads"]["policy_logits"])
    assert head["bias"].shape == rank.shape
    head["bias"] = np.float32(-100) * rank.astype(np.float32)
    params["heads"]["policy_logits"] = head
    return variables._replace(params=params)


def preferred(legal: np.ndarray, first: int) -> np.ndarray:
    """Returns the legal cell [R] that such a network is sure of."""
    return (first + np.roll(legal, -first, axis=1).argmax(axis=1)) % CELLS


def replies_of(moves: Any) -> Replies:
    """Returns all replies between two rows of one game, of a trajectory that begins with row 0."""
    goes_on = moves.discount[:-1] != 0
    legal = legal_at(moves.state)
    action = moves.action[:-1][goes_on]
    before = legal[:-1][goes_on] & (np.arange(CELLS)[None] != action[:, None])
    taken = before & ~legal[1:][goes_on]
    np.testing.assert_array_equal(taken.sum(axis=1), 1)
    return Replies(before, taken.argmax(axis=1))
