import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from azjax import games
from azjax.engines.process import EngineError
from azjax.page.analysis import exact
from azjax.page.analysis.exact import exact_scores, exact_values, is_solved, mistakes
from azjax.page.analysis.rules import Position, make_rules
from azjax.support.errors import InputError, RunError


def test_coins_are_lost_at_multiples_of_three():
    rules = make_rules("coins")
    values = exact_values(rules.game, rules.parse("20 O"))
    assert {rules.game.format_action(action): value for action, value in values.items()} == {
        "1": -1,
        "2": 1,
    }
    lost = exact_values(rules.game, rules.parse("18 X"))
    assert set(lost.values()) == {-1}


def test_what_a_move_gives_away_is_counted():
    values = {0: 1, 1: 0, 2: -1}
    assert [mistakes(values, action) for action in values] == [0, 1, 2]
    assert mistakes({0: -1, 1: -1}, 1) == 0


def test_a_position_that_play_does_not_reach_has_no_exact_values():
    rules = make_rules("coins:coins=5")
    position = rules.parse("5 O")
    assert exact_values(rules.game, position) == {}
    with pytest.raises(InputError, match="no play of coins"):
        exact_scores(rules.game, position)


def test_large_games_are_not_solved():
    assert is_solved(games.make("tic_tac_toe"))
    assert not is_solved(games.make("hex"))
    assert not is_solved(games.make("connect_four:rows=5"))


class FakeScores:
    """BitBully that ends at its first question, unless it is the second that is started."""

    started = ()

    def __init__(self, game):
        FakeScores.started += (self,)
        self.fails, self.is_closed, self.asked = len(FakeScores.started) == 1, False, 0

    def __call__(self, state):
        assert not self.is_closed
        self.asked += 1
        if self.fails:
            self.waiting.set()
            assert self.goes_on.wait(60)
            raise EngineError("has ended with exit status 1")
        return {3: 1}

    def close(self):
        assert not self.is_closed
        self.is_closed = True


@pytest.fixture
def scores(monkeypatch):
    monkeypatch.setattr(FakeScores, "started", ())
    monkeypatch.setattr(FakeScores, "waiting", threading.Event(), raising=False)
    monkeypatch.setattr(FakeScores, "goes_on", threading.Event(), raising=False)
    monkeypatch.setattr(exact, "PerfectScores", FakeScores)
    return exact._Solver()


def test_a_solver_that_fails_is_told_and_started_again_for_those_who_wait(scores):
    game, position = games.make("connect_four"), Position(None, "", 0, (3,), None, None)
    with ThreadPoolExecutor(2) as threads:
        first = threads.submit(scores.ask, game, position)
        assert FakeScores.waiting.wait(60)
        second = threads.submit(scores.ask, game, position)
        FakeScores.goes_on.set()
        with pytest.raises(RunError, match=r"^BitBully has ended with exit status 1$"):
            first.result(60)
        assert second.result(60) == {3: 1}
    failed, working = FakeScores.started
    assert (failed.asked, failed.is_closed) == (1, True)
    assert (working.asked, working.is_closed) == (1, False)
