"""Games against perfect play: which openings are played, and when their value is kept."""

import importlib.util

import jax
import numpy as np
import pytest
from script_loading import load

from azjax.agents.player_spec import load_player
from azjax.engines.process import EngineError
from azjax.evaluation import sample_openings
from azjax.games import make
from azjax.support.errors import RunError

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


def test_openings_have_as_many_moves_so_that_one_player_is_to_move(script):
    openings = script.sample_kept_openings(GAME, lambda state: {0: 1}, 8, 200, jax.random.key(1))
    assert (openings.actions >= 0).sum(axis=1).tolist() == 200 * [8]
    assert set(np.asarray(openings.states.current_player).tolist()) == {0}


def test_a_solver_that_fails_is_told_by_its_name(script):
    def fails(state):
        raise EngineError("has ended with exit status 1")

    openings = sample_openings(GAME, 1, 0, jax.random.key(0))
    with pytest.raises(RunError, match=r"^perfect has ended with exit status 1$"):
        script.find_values(fails, openings)


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


@pytest.mark.parametrize("num_moves", [0, 1])
def test_the_player_has_the_seat_to_move(script, monkeypatch, num_moves):
    openings = sample_openings(GAME, 2, num_moves, jax.random.key(0))
    player = load_player("random", "connect_four")
    seats = []
    monkeypatch.setattr(
        script, "play_from_seat", lambda *arguments: seats.append(arguments[4]) or np.array([1, 0])
    )
    is_kept = script.play(player, player, lambda state: {0: 1}, openings, jax.random.key(1))
    assert is_kept.tolist() == [True, False]
    assert seats == [num_moves]


def test_the_interval_is_wilsons(script):
    assert script.describe_interval(np.array([True] * 85 + [False] * 15)) == "76.7 to 90.7%"
    assert script.describe_interval(np.ones(100, bool)) == "96.3 to 100.0%"


@pytest.mark.parametrize(
    ("flags", "wrong"),
    [
        (["--games", "0"], "games=0"),
        (["--opening-moves", "13"], "opening_moves=13"),
        (["--processes", "3"], "processes=3"),
    ],
)
def test_numbers_out_of_range_are_refused(script, capsys, flags, wrong):
    with pytest.raises(SystemExit) as stop:
        script.main(["random", *flags])
    assert stop.value.code == 2
    assert wrong in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.skipif(not has_bitbully, reason="needs BitBully")
def test_a_perfect_player_keeps_every_value(script, capsys):
    flags = ["--games", "2", "--opening-games", "4", "--opening-moves", "8", "--processes", "4"]
    script.main(["perfect", *flags])
    printed = capsys.readouterr().out
    assert "empty board: value kept in 2 of 2, 95% interval 34.2 to 100.0%" in printed
    assert "openings of 8 random moves: value kept in 4 of 4" in printed


@pytest.mark.skipif(has_bitbully, reason="BitBully is installed")
def test_a_missing_solver_is_told_in_one_line(script, capsys):
    with pytest.raises(SystemExit):
        script.main(["random"])
    assert "pip install bitbully" in capsys.readouterr().err
