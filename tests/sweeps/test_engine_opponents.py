"""Ratings against an engine: its processes end with each match, also where it fails."""

import pytest
from command_line import assert_one_line
from engine_player import fake, running_engines
from sweeping import states

import azjax.sweeps.objective as objective_module

pytestmark = pytest.mark.slow

OPTIONS = ("--trials", 2, "--places", 2, "--trial-iterations", 2, "--out", "out")


@pytest.fixture
def rate(sweep, tmp_path, monkeypatch):
    """Returns `rate(*misbehaviour, flags=())`, which runs a sweep against the fake engine."""
    monkeypatch.setattr(objective_module, "_GAMES", 4)
    monkeypatch.setenv("FAKE_ENGINE_LOG", str(tmp_path / "log"))

    def call(*misbehaviour, flags=()):
        engine = fake(*misbehaviour)
        return sweep(*OPTIONS, "--objective", "rating", "--opponent", engine, *flags)

    yield call
    assert "genmove" in (tmp_path / "log").read_text()
    assert not running_engines()


def test_trials_are_rated_above_an_engine(rate, tmp_path):
    result = rate()
    assert (result.code, result.err) == (0, "")
    assert states(tmp_path / "out") == {"COMPLETE": 2}
    assert "Elo above gtp:" in (tmp_path / "out" / "report.md").read_text()
    assert (tmp_path / "log").read_text().count("clear_board") == 2 * 4


def test_an_engine_that_dies_forfeits_the_games_of_a_rating(rate, tmp_path):
    result = rate("dies", "2", flags=("--on-engine-error", "forfeit"))
    lines = result.err.splitlines()
    assert result.code == 0
    assert lines
    assert all(line.endswith("; it loses this game") for line in lines)
    other = rate("dies", "2")
    assert_one_line(other, 2, "holds a sweep with another on_engine_error")
    assert states(tmp_path / "out") == {"COMPLETE": 2}
