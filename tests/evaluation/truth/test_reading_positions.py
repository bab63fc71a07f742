import numpy as np
import pytest

from azjax import games
from azjax.evaluation import read_records, require_positions
from azjax.evaluation.truth.truth_files import read_positions

HEADER = "moves,values"
START = ",d d d d d d d d d"  # of tic-tac-toe
DRAWN = "0 4,x d d d x d d d d"


def write(path, *lines):
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_a_number_of_coins_is_a_position(tmp_path):
    path = write(tmp_path / "t.csv", "coins,best", "7,1", "3,1 2", "2,2")
    positions = read_positions(games.make("coins"), path)
    assert np.asarray(positions.states.coins).tolist() == [7, 3, 2]
    assert positions.is_best.tolist() == [[True, False], [True, True], [False, True]]


def test_a_file_keeps_the_order_of_its_rows_and_letters(tic_tac_toe, tmp_path):
    positions = read_positions(
        tic_tac_toe, write(tmp_path / "t.csv", HEADER, START, "0 1,x x l d w l w d w")
    )
    assert positions.is_best[0].all()
    assert np.flatnonzero(positions.is_best[1]).tolist() == [4, 6, 8]
    assert np.asarray(positions.states.board)[1].reshape(-1).tolist() == [0, 1, *[-1] * 7]


@pytest.mark.parametrize(
    ("header", "row", "best"),
    [
        ("moves,actions", "0 1 3,a3", [6]),
        ("moves,best", "0 1,b2 a3", [4, 6]),
        ("moves,scores", "0 1,2:-3 3:4 4:1 5:0 6:12 7:-1 8:0", [3, 4, 6]),
        ("moves,scores", "0 1,2:-3 3:0 4:-1 5:0 6:-12 7:-1 8:0", [3, 5, 8]),
        ("board,actions", "XO.......,b2", [4]),
        ("board,values", "XXOO.....,x x x x d d w d d", [6]),
        ("\ufeff Moves;BEST", "0 1; b2", [4]),
        ("moves,best", ",\n0 1,b2\n,", [4]),
    ],
)
def test_each_kind_of_column_gives_the_best_moves(tic_tac_toe, tmp_path, header, row, best):
    positions = read_positions(tic_tac_toe, write(tmp_path / "t.csv", header, row))
    assert np.flatnonzero(positions.is_best[0]).tolist() == best


def test_the_mover_of_a_board_is_the_second_player_where_the_stones_say_so(tic_tac_toe, tmp_path):
    path = write(tmp_path / "t.csv", "board,best", "O........,b2", "OXO......,b2")
    states = read_positions(tic_tac_toe, path).states
    assert np.asarray(states.current_player).tolist() == [1, 1]
    assert np.asarray(states.board)[1].reshape(-1).tolist() == [0, 1, 0, *[-1] * 6]


@pytest.mark.parametrize(
    ("row", "complaint"),
    [
        ("0 4,x d d q x d d d d", "'q' is not one of w, d, l, x"),
        ("0 4,x d d d x d d d", "8 values, but tic_tac_toe has 9 actions"),
        ("0 9,x d d d x d d d d", "move '9' is not a cell number, 0 to 8"),
        ("0 0,x d d d d d d d d", "a move is illegal, or comes after the end"),
        ("0 3 1 4 2,x x x x x d d d d", "the game is over in this position"),
        ("0 4,x x d d x d d d d", "x must stand for exactly the illegal moves"),
    ],
)
def test_a_malformed_line_is_named_with_what_is_wrong(tic_tac_toe, tmp_path, row, complaint):
    path = write(tmp_path / "t.csv", HEADER, START, DRAWN, row, DRAWN)
    with pytest.raises(ValueError, match=r"line 4: .*") as error:
        read_positions(tic_tac_toe, path)
    assert complaint in str(error.value)
    assert str(path) in str(error.value)


@pytest.mark.parametrize(
    ("name", "header", "row", "complaint"),
    [
        ("tic_tac_toe", "moves,actions", "0 1 2,d9", "'d9' is not a cell"),
        ("tic_tac_toe", "moves,actions", "0 1 2,a1", "an action is illegal"),
        ("tic_tac_toe", "moves,best", "0 1 2,", "no action is named that keeps the value"),
        ("tic_tac_toe", "moves,scores", "0 1 2 3 4,5:1 6:2 7:3 0:1", "exactly the legal moves"),
        ("tic_tac_toe", "moves,scores", "0 1 2 3 4,5:1 6:x", "'6:x' is not a cell, a colon and"),
        ("connect_four", "moves,scores", "44,1:2 1:-2", "score '1:-2': '1' .* has a score already"),
        ("tic_tac_toe", "board,actions", "XOQ......,b2", "position"),
        ("coins", "coins,best", "22,1", "position '22 X' is not a number, 0 to 21"),
        ("coins", "coins,best", "0,1", "the game is over in this position"),
    ],
)
def test_a_wrong_row_of_any_kind_is_named_with_what_is_wrong(
    tmp_path, name, header, row, complaint
):
    path = write(tmp_path / "t.csv", header, row)
    with pytest.raises(ValueError, match=f"line 2: .*{complaint}") as error:
        read_positions(games.make(name), path)
    assert str(error.value).startswith(f"truth file {path}, line 2: ")
    assert str(error.value).endswith(f" (read as {name})")
    assert "\n" not in str(error.value)


def test_a_file_of_scores_alone_has_values_and_no_actions(tmp_path):
    game = games.make("connect_four")
    path = write(tmp_path / "Test_L1", "44455 -2", "", "44 0", "4 13", "3344 1")
    positions = read_positions(game, path)
    assert not positions.has_actions
    assert positions.is_best.argmax(axis=1).tolist() == [0, 1, 2, 2]  # a loss, a draw, two wins
    assert np.asarray(positions.states.current_player).tolist() == [1, 0, 1, 0]
    assert positions.random == positions.take(np.arange(4)).random == 1 / 2  # always says a win
    same = read_positions(game, write(tmp_path / "t.csv", "moves,score", "44455,-2", "44,0"))
    assert same.is_best.tolist() == positions.is_best[:2].tolist()
    with pytest.raises(ValueError, match="has the scores of positions, not of their moves"):
        require_positions(game, path)
    for line, text in (("44", "score '' is not a number"), ("44 x", "score 'x' is not a number")):
        with pytest.raises(ValueError, match=f"line 2: {text}"):
            read_positions(game, write(tmp_path / "Test_L2", "4 1", line))


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("move,values", "must name moves or board or coins; it names 'move'"),
        ("board,value", "must name values or actions or best or scores or score"),
    ],
)
def test_a_header_without_a_position_or_best_moves_is_refused(
    tic_tac_toe, tmp_path, header, expected
):
    with pytest.raises(ValueError, match=f"line 1: the header {expected}"):
        read_positions(tic_tac_toe, write(tmp_path / "t.csv", header, DRAWN))


def test_a_file_with_nothing_but_a_header_is_refused(tic_tac_toe, tmp_path):
    with pytest.raises(ValueError, match="no positions below its header"):
        read_positions(tic_tac_toe, write(tmp_path / "t.csv", HEADER))


def test_the_moves_that_lead_to_positions_are_read(tmp_path):
    game = games.make("tic_tac_toe")
    file = write(tmp_path / "positions.csv", HEADER, START, DRAWN)
    assert read_records(game, file) == [[], [0, 4]]
    boards = write(tmp_path / "boards.csv", "board,values", ".........,d d d d d d d d d")
    with pytest.raises(ValueError, match="line 1: the header must name moves"):
        read_records(game, boards)
