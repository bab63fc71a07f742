"""Reanalyse: rows of replay are searched again by the newest network."""

import dataclasses
import functools

import jax
import numpy as np
import pytest

from azjax.training import TrainConfig, make_context
from azjax.training.selfplay.reanalyse import reanalyse

from . import tiny, tiny_muzero
from .tiny import CONFIG, HYPERPARAMETERS, as_float32

ROWS = CONFIG.replay_moves
FOUR_ROWS = 4 / ROWS
REPLACED = {"action_weights", "search_value"}


def reanalysed(config, state):
    context = make_context(dataclasses.replace(config, reanalyse_fraction=FOUR_ROWS))
    numbers = as_float32(HYPERPARAMETERS)
    compiled = jax.jit(functools.partial(reanalyse, context))
    return jax.device_get(compiled(numbers, state, state.replay)).trajectory


def changed_rows(before, after):
    """Returns by field the rows in which it has changed."""
    changed = {}
    for name in ("state", *REPLACED, "reward", "discount"):
        pairs = zip(*(jax.tree.leaves(getattr(x, name)) for x in (before, after)), strict=True)
        rows = [np.any(x != y, axis=tuple(range(1, x.ndim))) for x, y in pairs]
        changed[name] = np.flatnonzero(np.any(rows, axis=0)).tolist()
    return changed


@pytest.mark.parametrize("iteration", [4, 5, 7])
def test_the_rows_go_on_around_the_ring(iteration):
    state = tiny.run(8).states[iteration]
    before, after = state.replay.trajectory, reanalysed(CONFIG, state)
    first = iteration % 4 * 4
    rows = list(range(first, first + 4))
    expected = {name: rows if name in REPLACED else [] for name in changed_rows(before, after)}
    assert changed_rows(before, after) == expected


def test_the_search_is_that_of_self_play_by_the_newest_network():
    """Positions that the newest network has just been searched in: the targets are alike."""
    state = tiny.run(8).states[8]._replace(iteration=np.int32(3))  # the newest four rows
    before, after = state.replay.trajectory, reanalysed(CONFIG, state)
    legal = tiny.legal_at(after.state)
    assert (after.action_weights[~legal] == 0).all()
    np.testing.assert_allclose(after.action_weights.sum(axis=-1), 1, atol=1e-5)
    newest, old = slice(12, 16), slice(0, 12)
    differs = np.abs(after.action_weights - before.action_weights).sum(axis=-1)
    assert differs[newest].mean() < 0.6
    assert (differs[old] == 0).all()


def test_an_iteration_of_muzero_reanalyses_too():
    states, metrics = tiny_muzero.run(2, reanalyse_fraction=FOUR_ROWS)
    _, without = tiny_muzero.run(2)
    assert np.isfinite(metrics[-1].loss)
    assert metrics[-1].loss != without[-1].loss
    assert states[-1].replay.num_written == 8


@pytest.mark.parametrize("fraction", [0.1, 1 / 3, 3 / 16])
def test_the_share_is_of_rows_that_go_evenly_round(fraction):
    message = "must be 1 divided by a divisor of replay_moves=16, or 0"
    with pytest.raises(ValueError, match=message):
        dataclasses.replace(CONFIG, reanalyse_fraction=fraction)
    assert TrainConfig(replay_moves=256, reanalyse_fraction=1 / 16).num_reanalysed_moves == 16
