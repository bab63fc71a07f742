"""azjax as a UCI engine: positions, moves, clocks, and searches that are stopped."""

import itertools

import pytest
from cell_board import CellBoard
from gtp_serving import FirstLegal

from azjax.agents.player_spec import load_player
from azjax.agents.served_player import LocalPlayer
from azjax.engines.uci_server import UciServer
from azjax.games import make

GAME = make("tic_tac_toe")


@pytest.fixture(autouse=True)
def tic_tac_toe(monkeypatch):
    monkeypatch.setattr("azjax.engines.uci_server.uci_board", CellBoard)
    monkeypatch.setattr("azjax.engines.uci_server._INTERVAL", 1000)  # however slow the search is


@pytest.fixture
def player():
    return FirstLegal(GAME)


@pytest.fixture
def ask(player):
    """Returns `ask(*lines)`: the lines of the answers; no search goes on between them."""
    server = UciServer(GAME, lambda game: player, "1.0")
    return lambda *lines: list(itertools.chain.from_iterable(map(server.respond, lines)))


@pytest.fixture(scope="module")
def searching():
    named = load_player("mcts:simulations=32", "tic_tac_toe")
    return LocalPlayer(named.player, GAME, seed=0)


def serve(player, *commands):
    """Returns the lines of a session in which a command waits after so many pieces of a search."""
    waiting = iter([piece == pieces for _, pieces in commands for piece in range(pieces + 1)])
    written = []
    server = UciServer(GAME, lambda game: player, "1.0")
    lines = (line for line, _ in commands)
    server.serve(lines, written.append, lambda seconds: next(waiting, True))
    return "".join(written).splitlines()


def test_a_game_is_played_from_its_moves(ask):
    assert ask("uci")[-1] == "uciok"
    assert ask("isready", "ucinewgame", "position startpos") == ["readyok"]
    assert ask("go movetime 5") == ["bestmove a1"]
    assert ask("position startpos moves a1 b1", "go") == ["bestmove c1"]
    assert ask("position startpos moves a1 b1 c1 a2 b2 c2 b3", "go") == ["bestmove a3"]
    over = ask("position startpos moves a1 b1 a2 b2 a3", "go")
    assert over == ["info string the game is over", "bestmove (none)"]


def test_what_is_wrong_is_told_and_changes_nothing(ask):
    assert ask("position startpos moves a1 a1", "go") == [
        "info string illegal move a1",
        "bestmove a1",
    ]
    assert ask("position here", "frobnicate", "") == [
        "info string write position startpos moves ..., or position fen FEN moves ...",
        "info string unknown command 'frobnicate'",
    ]
    told = ["info string go does not use searchmoves a1", "bestmove a1"]
    assert ask("go searchmoves a1") == told


@pytest.mark.parametrize(
    ("go", "seconds"),
    [
        ("go", None),
        ("go movetime 1500", 1.5),
        ("go wtime 50000 btime 1", 0.9 * 50 / 25),
        ("go wtime 50000 btime 1 winc 1000 binc 9", 0.9 * 50 / 25 + 0.9),
        ("go wtime 50000 btime 1 movestogo 5", 0.9 * 50 / 5),
        ("go wtime 100 btime 1 winc 9000", 0.05),
    ],
)
def test_the_player_has_the_time_that_the_clock_leaves(ask, player, go, seconds):
    ask(go)
    assert player.seconds == [seconds and pytest.approx(seconds)]


def test_a_search_has_as_many_simulations_as_nodes(searching):
    lines = serve(searching, ("position startpos moves a1", 0), ("go nodes 40", 9))
    assert [line.split()[0] for line in lines] == ["info", "bestmove"]
    words = lines[0].split()
    assert words[words.index("nodes") + 1] == "40"
    assert words[words.index("pv") + 1] == lines[1].split()[1]


def test_a_search_has_one_simulation_at_least(searching):
    assert "nodes 1 " in serve(searching, ("go nodes -5", 9))[0]


def test_a_search_without_end_goes_on_until_it_is_stopped(searching):
    lines = serve(searching, ("go infinite", 3), ("isready", 2), ("stop", 1), ("quit", 0))
    assert [line.split()[0] for line in lines] == ["readyok", "info", "bestmove"]


def test_a_search_ends_with_the_session(searching):
    assert serve(searching, ("go infinite", 1), ("quit", 0))[-1].startswith("bestmove ")
    assert serve(searching, ("go infinite", 1))[-1].startswith("bestmove ")
