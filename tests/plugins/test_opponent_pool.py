"""Self-play of a share of the games against networks of the run's past."""

import dataclasses
import functools
import importlib
import pathlib
import sys

import jax
import numpy as np
import pytest
from training.tiny import CONFIG

from azjax.training import init_train_state, make_context

ONE_IN = 4


@pytest.fixture
def plugin(monkeypatch, registrations):
    monkeypatch.syspath_prepend(pathlib.Path(__file__).parent)
    yield importlib.import_module("opponent_pool")
    sys.modules.pop("opponent_pool")


@pytest.mark.slow
def test_the_past_moves_in_its_seat_of_its_games_alone(plugin):
    pool = plugin.OpponentPool(one_in=ONE_IN, temperature_moves=0.0)
    config = dataclasses.replace(CONFIG, algorithm=pool)
    play = jax.jit(functools.partial(pool.play, make_context(config)))
    state = init_train_state(config, jax.random.key(0))
    _, equal, _ = play(state, jax.random.key(1), 0.0)
    opposite = jax.tree.map(lambda x: -x, state.opponent.variables)
    changed = state._replace(opponent=state.opponent._replace(variables=opposite))
    _, against, _ = play(changed, jax.random.key(1), 0.0)
    is_other = np.asarray(equal.action != against.action)
    seat, number = np.asarray(equal.state.current_player), np.arange(config.num_games)
    is_past = number % ONE_IN == 0
    is_theirs = is_past & (seat == number // ONE_IN % 2)
    first = np.where(is_other.any(axis=0), is_other.argmax(axis=0), -1)
    assert (first[~is_past] == -1).all()
    assert (first[is_past] >= 0).any()
    assert all(is_theirs[row, game] for game, row in enumerate(first) if row >= 0)
