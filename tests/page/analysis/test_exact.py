import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from azjax import games
from azjax.engines.engine_process import EngineError
from azjax.page.analysis import exact
from azjax.page.analysis.exact import exact_values
from azjax.page.analysis.rules import Position, make_rules
from azjax.support.errors import RunError


def test_a_position_that_play_does_not_reach_has_no_exact_values():
    rules = make_rules("coins:coins=5")
    assert exact_values(rules.game, rules.parse("5 O")) == {}


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


def test_a_finished_position_of_go_has_the_lead():
    rules = make_rules("go_5:size=3,komi=0.5")
    placed = rules.play(rules.start(), 4)
    over = rules.play(rules.play(placed, 9), 9)
    assert (placed.lead, over.result, over.lead) == (None, 1, 8.5)
