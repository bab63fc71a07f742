"""The law that a batch gives what its states give one by one."""

import chex
import jax
import numpy as np

from azjax.games.laws.functions import single
from azjax.games.laws.law import Law
from azjax.games.laws.playout import Index, Playout, slice_of

_NUM_STATES = 12
_TOLERANCE = 1e-5  # of observations; a batch may add in another order


def check_batches(play: Playout, seed: int) -> None:
    """Checks single states, and that a second trace of each function gives the same.

    Args:
      play: The playout.
      seed: That of the playout.

    Raises:
      BrokenLawError: The law is broken.
    """
    functions, (num_moves, num_games) = single(play.game), play.actions.shape
    key = jax.random.split(jax.random.key(seed), num_games)[0]
    _require_same(play, "init", (0, 0), functions.init(key), slice_of(play.states, (0, 0)))
    for i in range(_NUM_STATES):
        index = i * num_moves // _NUM_STATES, i % num_games
        state = slice_of(play.states, index)
        after, expected = functions.step(state, play.actions[index]), slice_of(play.after, index)
        _require_same(play, "step", index, after, expected)
        view, view_expected = functions.look(state), slice_of(play.views, index)
        _require_same(play, "legal_action_mask", index, view.mask, view_expected.mask)
        _require_same(play, "observe", index, view.observation, view_expected.observation)
        _require_same(play, "without_move_count", index, view.position, view_expected.position)


def _require_same(
    play: Playout, method: str, index: Index, alone: chex.ArrayTree, in_batch: chex.ArrayTree
) -> None:
    for x, y in zip(jax.tree.leaves(alone), jax.tree.leaves(in_batch), strict=True):
        if not np.allclose(x, y, rtol=_TOLERANCE, atol=_TOLERANCE):
            found = f"{method} gives {_short(x)} alone, and {_short(y)} in a batch"
            right = "the same: a function of its arguments, without state in Python"
            raise play.broken_by_move(Law.BATCH, index, found, right)


def _short(array: np.ndarray) -> str:
    return np.array2string(np.asarray(array), threshold=16, separator=",")
