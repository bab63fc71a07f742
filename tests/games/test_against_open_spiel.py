"""The same random games in OpenSpiel, which plays them one state at a time."""

import numpy as np
import pyspiel
import pytest

from azjax.games import make

from .moving import choose_legal, start

GAMES = 128


@pytest.mark.parametrize(
    ("name", "keywords", "theirs"),
    [
        ("mnk_6_6_4", {}, "mnk(m=6,n=6,k=4)"),
        ("connect_four", {}, "connect_four"),
        pytest.param("othello", {}, "othello", marks=pytest.mark.slow),
        pytest.param("hex", {}, "hex(num_cols=11,num_rows=11)", marks=pytest.mark.slow),
        ("hex", {"size": 5}, "hex(num_cols=5,num_rows=5)"),
        ("hex", {"size": 4, "swap": True}, "hex(num_cols=4,num_rows=4,swap=True)"),
    ],
)
def test_random_games_are_the_same_in_open_spiel_at_each_step(name, keywords, theirs):
    (states, mask), step = start(make(name, **keywords), GAMES)
    game = pyspiel.load_game(theirs)
    others = [game.new_initial_state() for _ in range(GAMES)]
    generator = np.random.default_rng(0)
    while not states.terminated.all():
        actions = choose_legal(generator, mask)
        for other, legal, action in zip(others, mask, actions, strict=True):
            assert other.legal_actions() == np.flatnonzero(legal).tolist()
            if not other.is_terminal():
                other.apply_action(int(action))
        states, mask = step(states, actions)
        for i, other in enumerate(others):
            assert other.is_terminal() == states.terminated[i]
            assert other.returns() == states.rewards[i].tolist()
            assert other.is_terminal() or other.current_player() == states.current_player[i]
    assert {-1, 1} <= set(states.rewards[:, 0].tolist())
