"""Players that search for a number of seconds."""

import time

import jax
import numpy as np
import pytest

from azjax.evaluation import (
    TimedPlayer,
    Turns,
    choose_action,
    mcts_player,
    search_config,
    search_position,
)
from azjax.games import make
from azjax.search import UCT

GAME = make("tic_tac_toe")


@pytest.fixture(scope="module")
def timed():
    player = TimedPlayer(mcts_player(GAME, UCT(kept_nodes=500)), 0.3)
    player.prepare(GAME.init(jax.random.key(0)))
    return player


def test_a_timed_player_finds_the_winning_move_within_its_time(timed):
    state = GAME.parse_state("XX./OO./... X")
    for _ in range(5):  # this process may have to wait for others
        start = time.perf_counter()
        with timed.open_match() as match:
            action = choose_action(match, state, jax.random.key(0), [])
        assert GAME.format_action(action) == "c1"
        if time.perf_counter() - start < 0.5:
            return
    pytest.fail("no search ended within its time")


def test_a_timed_player_is_asked_for_its_own_moves_alone_and_goes_on_with_its_tree(
    timed, monkeypatch
):
    asked = []
    result = timed.search(GAME.init(jax.random.key(0)), jax.random.key(0), seconds=0)

    def search(state, key, kept):
        asked.append((GAME.format_state(state), kept))
        return result

    monkeypatch.setattr(timed, "search", search)
    keys = jax.random.split(jax.random.key(0), 2)
    turns = Turns(jax.vmap(GAME.init)(keys), keys, np.array([False, True]), [6, 7], [[], []])
    with timed.open_match() as match:
        assert match.choose(turns)[1] == int(result.action[0])
        match.choose(turns)
        match.end([7])
        match.choose(turns)
    assert asked == [(".../.../... X", kept) for kept in (None, result.kept, None)]


def test_the_search_of_a_timed_player_can_be_read(timed):
    assert search_config(timed) == UCT(kept_nodes=500)
    state = GAME.parse_state("XX./OO./... X")
    found = search_position(timed, state)
    assert GAME.format_action(found.action) == "c1"
    assert found.visits.sum() > 20
    assert found.principal_variation == [found.action]
    again = search_position(timed, state, kept=found.kept)
    assert again.visits.sum() > found.visits.sum()
