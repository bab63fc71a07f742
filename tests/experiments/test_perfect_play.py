"""Games against perfect play: which openings are played, and when their value is kept."""

import importlib.util

import jax
import numpy as np
import pytest
from script_loading import load

from azjax.agents.player_spec import load_player
from azjax.evaluation import sample_openings
from azjax.games import make

GAME = make("connect_four")
has_bitbully = importlib.util.find_spec("bitbully") is not None


@pytest.fixture(scope="module")
def script():
    return load("perfect_play")


def by_turn(state):
    """Scores a position as won for the first player."""
    return {0: 1, 3: -2} if state.current_player == 0 else {0: -1}


def test_openings_differ_and_are_not_lost(script):
    key = jax.random.key(0)
    has_middle = set()

    def scores(state):
        text = GAME.format_state(state).partition(" ")[0].splitlines()[-1]
        is_middle = text.split("/")[-1][3] != "."
        has_middle.add(is_middle)
        return {0: 0 if is_middle else -1}

    openings = script.sample_kept_openings(GAME, scores, 2, 9, key)
    assert has_middle == {False, True}
    assert openings.actions.shape[0] == 9
    moves = [tuple(openings.moves(i)) for i in range(9)]
    assert all(3 in pair for pair in moves)
    assert len(set(moves)) == 9
    assert not np.asarray(openings.states.terminated).any()


@pytest.mark.parametrize("num_moves", [0, 1])
def test_the_value_is_kept_where_the_mover_gets_it(script, num_moves):
    """Tactical play beats random play from both seats; the first player should win, it says."""
    openings = sample_openings(GAME, 8, num_moves, jax.random.key(0))
    weak, strong = (load_player(name, "connect_four") for name in ("random", "tactical"))
    is_kept = script.play(strong, weak, by_turn, openings, jax.random.key(1))
    assert is_kept.shape == (8,)
    assert is_kept.all()
    lost = script.play(weak, strong, by_turn, openings, jax.random.key(1))
    # The second player has nothing to lose, and the first player seldom wins.
    assert lost.mean() == 1 if num_moves else lost.mean() < 0.5


@pytest.mark.slow
@pytest.mark.skipif(not has_bitbully, reason="needs BitBully")
def test_a_perfect_player_keeps_every_value(script, capsys):
    flags = ["--games", "2", "--opening-games", "4", "--opening-moves", "8", "--processes", "4"]
    script.main(["perfect", *flags])
    printed = capsys.readouterr().out
    assert "empty board: value kept in 2 of 2, 95% interval 34.2 to 100.0%" in printed
    assert "openings of 8 random moves: value kept in 4 of 4" in printed
