"""Reanalyse: rows of replay are searched again by the newest network."""

import dataclasses
import functools

import jax
import numpy as np
import pytest

from azjax.networks import NetworkConfig
from azjax.search import network_model, search
from azjax.training import TrainConfig, make_context, train_iteration
from azjax.training.selfplay.reanalyse import reanalyse

from . import tiny
from .tiny import CONFIG, HYPERPARAMETERS, as_float32

ROWS = CONFIG.replay_moves
FOUR_ROWS = 4 / ROWS
REPLACED = {"action_weights", "search_value"}


@functools.cache
def compiled(config):
    context = make_context(dataclasses.replace(config, reanalyse_fraction=FOUR_ROWS))
    return jax.jit(functools.partial(reanalyse, context, as_float32(HYPERPARAMETERS)))


def reanalysed(config, state):
    return jax.device_get(compiled(config)(state, state.replay, np.float32(0))).trajectory


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


@pytest.mark.parametrize("iteration", [4, 5, 7])
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
    keys = jax.random.split(jax.random.fold_in(state.key, 3), (4, CONFIG.num_games))
    numbers, model = as_float32(HYPERPARAMETERS).search, network_model(tiny.GAME, tiny.NETWORK)
    compiled = jax.jit(functools.partial(search, model, CONFIG.search, roots_alone=True))
    for row in range(4):
        states = jax.tree.map(lambda x, row=row: x[row], rows.state)
        found = compiled(numbers, state.learner.ema_variables, keys[row], states)
        np.testing.assert_allclose(rows.action_weights[row], found.action_weights, atol=1e-5)
        np.testing.assert_allclose(rows.search_value[row], found.value, atol=1e-5)


@pytest.mark.parametrize("iteration", [5, 6, 7])
def test_as_many_rows_as_are_played_are_not_those_just_played(iteration):
    assert CONFIG.num_moves == 4  # as many as are searched again
    state = tiny.run(8).states[iteration]
    changed = changed_rows(state.replay.trajectory, reanalysed(CONFIG, state))
    first = iteration % 4 * 4  # of those that this iteration plays
    assert set(changed["action_weights"]).isdisjoint(range(first, first + 4))


def test_what_was_proven_stays_proven():
    proving = dataclasses.replace(CONFIG.search, proven_values=True)
    state = tiny.run(8).states[8]
    moves = state.replay.trajectory
    won = np.ones((*moves.reward.shape, 2), np.int8)  # whatever the search finds
    state = state._replace(replay=state.replay._replace(trajectory=moves._replace(bounds=won)))
    after = reanalysed(dataclasses.replace(CONFIG, search=proving), state)
    rows = jax.tree.map(lambda x: x[rows_of(8)], after)
    assert (rows.bounds[..., 0] == 1).all()
    may_be_won = rows.bounds[..., 1] == 1  # as far as the search has found
    assert may_be_won.mean() > 0.5
    assert (rows.search_value[may_be_won] == 1).all()


@pytest.mark.slow
def test_an_iteration_reanalyses_and_learns_from_what_it_finds():
    before, without = tiny.run(8).states[7:]
    config = dataclasses.replace(CONFIG, reanalyse_fraction=FOUR_ROWS)
    iterate = jax.jit(functools.partial(train_iteration, config))
    after, metrics = jax.device_get(iterate(as_float32(HYPERPARAMETERS), before, np.float32(0)))
    changed = changed_rows(without.replay.trajectory, after.replay.trajectory)
    assert changed["action_weights"] == list(range(ROWS))[rows_of(7)]
    assert metrics.loss != tiny.run(8).metrics[7].loss


@pytest.mark.parametrize("fraction", [0.1, 1 / 3, 3 / 16])
def test_the_share_is_of_rows_that_go_evenly_round(fraction):
    message = "must be 1 divided by a divisor of replay_moves=16, or 0"
    with pytest.raises(ValueError, match=message):
        dataclasses.replace(CONFIG, reanalyse_fraction=fraction)
    assert TrainConfig(replay_moves=256, reanalyse_fraction=1 / 16).num_reanalysed_moves == 16


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"fast_simulations": 2}, "fast_simulations=2: must be 0 under reanalyse_fraction"),
        (
            {"network": NetworkConfig(auxiliary_heads=("action_values",))},
            "network.auxiliary_heads: must be without action_values under reanalyse_fraction",
        ),
        ({"weighted_traces": True}, "weighted_traces=True: must be False under reanalyse_fraction"),
        ({"growing_window": True}, "growing_window=True: must be False under reanalyse_fraction"),
    ],
)
def test_what_it_cannot_renew_is_refused(changes, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        dataclasses.replace(CONFIG, reanalyse_fraction=FOUR_ROWS, **changes)
