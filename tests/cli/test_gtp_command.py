"""`azjax gtp`: standard output carries GTP alone."""

import sys

import jax
import pytest
from command_line import make_untrained_run

from azjax.agents.player_spec import load_player
from azjax.agents.served_player import served_player_maker
from azjax.evaluation import TimedPlayer
from azjax.games import make
from azjax.support.errors import InputError


@pytest.fixture
def gtp(azjax, monkeypatch, tmp_path):
    """Returns `gtp(lines, *arguments)`: the responses of the engine, and its other output."""

    def gtp(lines, *arguments):
        (tmp_path / "stdin").write_bytes("\n".join(lines).encode())
        with (tmp_path / "stdin").open() as stdin:
            monkeypatch.setattr(sys, "stdin", stdin)
            result = azjax("gtp", *arguments)
        return result.out.split("\n\n")[:-1], result

    return gtp


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Returns the name of a run at go_5, without search."""
    folder = tmp_path_factory.mktemp("gtp") / "go_5"
    make_untrained_run(folder, "go_5")
    return f"{folder}:simulations=0"


def test_a_player_answers_on_standard_output_until_it_quits(gtp):
    lines = ["1 boardsize 5", "2 genmove b", "", "# \xe4", "bad\xff", "quit", "name"]
    responses, result = gtp(lines, "random", "--game", "go_5")
    assert responses[0] == "=1"
    assert responses[1].startswith("=2 ")
    assert responses[2:] == ["? unknown command", "="]
    assert (result.code, result.err) == (0, "azjax: random is ready\n")


def test_an_agent_plays_its_own_size_with_any_komi(gtp, run):
    lines = ["boardsize 9", "boardsize 5", "komi 0.5", "play b c3", "final_score", "genmove w"]
    responses, result = gtp(lines, run)
    assert responses[:5] == ["? unacceptable size", "=", "=", "=", "= B+24.5"]
    assert responses[5].startswith("= ")
    assert result.code == 0


def test_a_timed_agent_keeps_its_time_at_another_komi(run, monkeypatch):
    named = load_player(run.partition(":")[0], None, seconds=0.5)

    def prepare(self, state):
        raise ZeroDivisionError(f"{self.act.game.name} in {self.seconds} s")

    monkeypatch.setattr(TimedPlayer, "prepare", prepare)
    for komi, name in ((24.5, "go_5"), (6.5, "go_5:komi=6.5")):
        with pytest.raises(ZeroDivisionError, match=f"^{name} in 0.5 s$"):
            served_player_maker(named, None, seed=0)(make("go_5", komi=komi))
    with pytest.raises(InputError, match="plays go_5 alone"):
        served_player_maker(named, None, seed=0)(make("go_5", size=6))


def test_the_clock_of_the_controller_reaches_a_timed_player(monkeypatch):
    def search(self, state, key, seconds, kept):
        raise ZeroDivisionError(f"in {seconds} s")

    monkeypatch.setattr(TimedPlayer, "prepare", lambda self, state: None)
    monkeypatch.setattr(TimedPlayer, "search", search)
    game = make("go_5")
    player = served_player_maker(load_player("mcts", "go_5", seconds=5.0), None, seed=0)(game)
    with pytest.raises(ZeroDivisionError, match=r"^in 0.25 s$"):
        player.choose(game.init(jax.random.key(0)), 0.25)
