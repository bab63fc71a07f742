"""Positions in FEN, and their moves as UCI writes them."""

import numpy as np
import pytest

from azjax.engines.uci_board import uci_board
from azjax.games import make

pytestmark = pytest.mark.slow  # Pgx's chess takes long to compile


def parse(name, fen):
    """Returns a position, and its legal moves."""
    game = make(name)
    state = game.parse_state(fen)
    return state, set(uci_board(game).legal_moves(state, np.asarray(game.legal_action_mask(state))))


@pytest.mark.parametrize(
    ("fen", "some"),
    [
        ("r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1", {"e8g8", "e8c8", "a8a1"}),
        ("r3k2r/8/8/8/8/8/8/R3K2R w Kq - 5 40", {"e1g1", "a1a8"}),
        ("4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 3", {"d4e3", "d4d3"}),
        ("1n6/P6k/8/8/8/8/7K/8 w - - 0 1", {"a7a8q", "a7a8n", "a7b8q", "a7b8r", "a7b8b"}),
        ("8/7K/8/8/8/8/p6k/1N6 b - - 0 1", {"a2a1q", "a2a1n", "a2b1q", "a2b1r", "a2b1b"}),
    ],
)
def test_a_position_of_chess_has_its_moves(fen, some):
    chess = pytest.importorskip("chess")
    state, moves = parse("pgx:chess", fen)
    assert moves >= some
    assert moves == {move.uci() for move in chess.Board(fen).legal_moves}
    assert int(state.current_player) == (" b " in fen)


@pytest.mark.parametrize(
    ("name", "fen"),
    [
        ("pgx:chess", "R5k1/5ppp/8/8/8/8/8/K7 b - - 1 1"),
        ("pgx:gardner_chess", "R3k/3pp/5/5/K4 b - - 1 1"),
    ],
)
def test_a_mate_is_lost_by_the_player_to_move(name, fen):
    state, moves = parse(name, fen)
    assert (bool(state.terminated), state.rewards.tolist(), moves) == (True, [1, -1], set())


@pytest.mark.parametrize(
    "fen",
    [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBN w KQkq - 0 1",  # a row of seven
        "rnbq1bnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",  # no king
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR x KQkq - 0 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w  - 0 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -",
    ],
)
def test_what_is_no_fen_is_refused_with_one_that_is(fen):
    start = "'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1'"
    with pytest.raises(ValueError, match=f"is no FEN: write one such as {start}"):
        make("pgx:chess").parse_state(fen)
