"""Reanalyse: rows of replay are searched again by the newest network."""

import dataclasses

import jax
import numpy as np
import pytest

from azjax.search import network_model, search
from azjax.support import prng
from azjax.training import PlayoutCaps, Reanalyse, WeightedTraces, check_train_config, make_context

from . import tiny
from .tiny import CONFIG, PROGRESS, as_float32, with_parts

ROWS = CONFIG.replay_moves
FOUR_ROWS = Reanalyse(moves=4)
REPLACED = {"action_weights", "search_value"}


@jax.jit
def compiled(config, state):
    return FOUR_ROWS.reanalyse(make_context(config), state, state.replay, PROGRESS)


def reanalysed(config, state):
    return jax.device_get(compiled(as_float32(config), state)).trajectory


def changed_rows(before, after):
    """Returns by field the rows in which it has changed."""
    changed = {}
    for name in ("state", *REPLACED, "reward", "discount"):
        pairs = zip(*(jax.tree.leaves(getattr(x, name)) for x in (before, after)), strict=True)
        rows = [np.any(x != y, axis=tuple(range(1, x.ndim))) for x, y in pairs]
        changed[name] = np.flatnonzero(np.any(rows, axis=0)).tolist()
    return changed


def rows_of(iteration):
    """Returns the rows that an iteration searches again: they go back around the ring."""
    first = (3 - iteration % 4) * 4
    return slice(first, first + 4)


@pytest.mark.parametrize("iteration", [4, 7])
def test_the_rows_go_back_around_the_ring(iteration):
    state = tiny.run(8).states[iteration]
    before, after = state.replay.trajectory, reanalysed(CONFIG, state)
    rows = list(range(ROWS))[rows_of(iteration)]
    expected = {name: rows if name in REPLACED else [] for name in changed_rows(before, after)}
    assert changed_rows(before, after) == expected


def test_what_is_found_is_what_the_newest_network_finds():
    state = tiny.run(8).states[8]
    after = reanalysed(CONFIG, state)
    rows = jax.tree.map(lambda x: x[rows_of(8)], after)
    keys = jax.random.split(prng.named_key(state.key, "reanalyse"), (4, CONFIG.num_games))
    model = network_model(tiny.GAME, tiny.NETWORK)

    @jax.jit
    def find(config, keys, states):
        variables = state.learner.ema_variables
        return search(model, config, variables, keys, states, roots_alone=True)

    for row in range(4):
        states = jax.tree.map(lambda x, row=row: x[row], rows.state)
        found = find(as_float32(CONFIG.search), keys[row], states)
        np.testing.assert_allclose(rows.action_weights[row], found.action_weights, atol=1e-5)
        np.testing.assert_allclose(rows.search_value[row], found.value, atol=1e-5)


def test_what_was_proven_stays_proven():
    proving = dataclasses.replace(CONFIG.search, proven_values=True)
    state = tiny.run(8).states[8]
    moves = state.replay.trajectory
    won = np.ones((*moves.reward.shape, 2), np.int8)  # whatever the search finds
    moves = moves._replace(records={"bounds": won})
    state = state._replace(replay=state.replay._replace(trajectory=moves))
    after = reanalysed(dataclasses.replace(CONFIG, search=proving), state)
    rows = jax.tree.map(lambda x: x[rows_of(8)], after)
    assert (rows.records["bounds"][..., 0] == 1).all()
    may_be_won = rows.records["bounds"][..., 1] == 1  # as far as the search has found
    assert may_be_won.mean() > 0.5
    assert (rows.search_value[may_be_won] == 1).all()


@pytest.mark.slow
def test_an_iteration_reanalyses_and_learns_from_what_it_finds():
    before, without = tiny.run(8).states[7:]
    after, metrics = jax.device_get(tiny.iterate(with_parts(CONFIG, FOUR_ROWS), before))
    changed = changed_rows(without.replay.trajectory, after.replay.trajectory)
    assert changed["action_weights"] == list(range(ROWS))[rows_of(7)]
    assert metrics.loss != tiny.run(8).metrics[7].loss


def test_rows_that_do_not_go_evenly_round_and_fast_searches_are_refused():
    with pytest.raises(ValueError, match=r"^reanalyse.moves=3: must be a divisor of replay_moves="):
        check_train_config(with_parts(CONFIG, Reanalyse(moves=3)))
    check_train_config(with_parts(CONFIG, FOUR_ROWS, WeightedTraces()))
    with pytest.raises(ValueError, match=r"^parts: playout_caps does not go with reanalyse, as"):
        check_train_config(with_parts(CONFIG, FOUR_ROWS, PlayoutCaps()))
