import pathlib

import jax
import numpy as np
import pytest

from azjax import games
from azjax.evaluation import is_solvable, read_truth, solved_truth

DATA = pathlib.Path(__file__).parents[1] / "data"
HEADER = "moves,values"
START = ",d d d d d d d d d"  # of tic-tac-toe
DRAWN = "0 4,x d d d x d d d d"


def write(path, *lines):
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("name", "rows", "wins", "draws", "only_one"),
    [("connect_four", 1000, 858, 142, 384), ("mnk_6_6_4", 400, 358, 42, 99)],
)
def test_the_files_read_as_their_makers_describe_them(name, rows, wins, draws, only_one):
    game = games.make(name)
    truth = read_truth(game, DATA / f"{name}.csv")
    best = truth.action_values.max(axis=1)
    assert truth.action_values.shape == (rows, game.num_actions)
    assert [(best == value).sum() for value in (1, 0, -1)] == [wins, draws, 0]
    assert (truth.is_best.sum(axis=1) == 1).sum() == only_one
    assert not np.asarray(truth.states.terminated).any()


def test_a_file_keeps_the_order_of_its_rows_and_letters(tic_tac_toe, tmp_path):
    truth = read_truth(
        tic_tac_toe, write(tmp_path / "t.csv", HEADER, START, "0 1,x x l d w l w d w")
    )
    assert truth.action_values.tolist() == [[0] * 9, [-2, -2, -1, 0, 1, -1, 1, 0, 1]]
    assert np.asarray(truth.states.board)[1].reshape(-1).tolist() == [0, 1, *[-1] * 7]
    assert truth.is_best[1].tolist() == [value == 1 for value in truth.action_values[1]]


def test_other_columns_and_their_order_do_not_matter(tic_tac_toe, tmp_path):
    row = "a remark,x d d d x d d d d,0 4"
    truth = read_truth(tic_tac_toe, write(tmp_path / "t.csv", "note,values,moves", row))
    assert len(truth.action_values) == 1


@pytest.mark.parametrize(
    ("row", "complaint"),
    [
        ("0 4,x d d q x d d d d", "'q' is not one of w, d, l, x"),
        ("0 4,x d d D x d d d d", "'D' is not one of w, d, l, x"),
        ("0 4,x d d d x d d d", "8 values, but tic_tac_toe has 9 actions"),
        ("0 4,x d d d x d d d d d", "10 values, but tic_tac_toe has 9 actions"),
        ("0 4", "0 values, but tic_tac_toe has 9 actions"),
        ("0 9,x d d d x d d d d", "move '9' is not a cell number, 0 to 8"),
        ("0 a,x d d d x d d d d", "move 'a' is not a cell number"),
        ("0 -4,x d d d x d d d d", "move '-4' is not a cell number"),
        ("0 0,x d d d d d d d d", "a move is illegal, or comes after the end"),
        ("0 3 1 4 2 5,x x x x x x d d d", "a move is illegal, or comes after the end"),
        ("0 3 1 4 2,x x x x x d d d d", "the game is over after these moves"),
        ("0 4,d d d d x d d d d", "x must stand for exactly the illegal moves"),
        ("0 4,x x d d x d d d d", "x must stand for exactly the illegal moves"),
    ],
)
def test_a_malformed_line_is_named_with_what_is_wrong(tic_tac_toe, tmp_path, row, complaint):
    path = write(tmp_path / "t.csv", HEADER, START, DRAWN, row, DRAWN)
    with pytest.raises(ValueError, match=r"line 4: .*") as error:
        read_truth(tic_tac_toe, path)
    assert complaint in str(error.value)
    assert str(path) in str(error.value)


def test_a_blank_line_does_not_shift_the_number_of_the_line(tic_tac_toe, tmp_path):
    path = write(tmp_path / "t.csv", HEADER, START, "", "0 4,q")
    with pytest.raises(ValueError, match="line 4: 1 values"):
        read_truth(tic_tac_toe, path)


@pytest.mark.parametrize("header", ["moves", "values", "move,values", "0 4,x d d d x d d d d"])
def test_a_header_without_moves_or_values_is_refused(tic_tac_toe, tmp_path, header):
    with pytest.raises(ValueError, match="line 1: the header must name moves and values"):
        read_truth(tic_tac_toe, write(tmp_path / "t.csv", header, DRAWN))


def test_an_empty_file_is_refused(tic_tac_toe, tmp_path):
    (tmp_path / "t.csv").touch()
    with pytest.raises(ValueError, match="line 1: the header must name moves and values"):
        read_truth(tic_tac_toe, tmp_path / "t.csv")


def test_a_file_with_nothing_but_a_header_is_refused(tic_tac_toe, tmp_path):
    with pytest.raises(ValueError, match="no positions below its header"):
        read_truth(tic_tac_toe, write(tmp_path / "t.csv", HEADER))


def test_what_is_not_a_file_is_refused(tic_tac_toe, tmp_path):
    for path in (tmp_path, tmp_path / "missing.csv", tmp_path / "missing" / "t.csv"):
        with pytest.raises(ValueError, match="cannot be read"):
            read_truth(tic_tac_toe, path)


def test_a_binary_file_is_refused(tic_tac_toe, tmp_path):
    (tmp_path / "t.csv").write_bytes(bytes(range(256)) * 8)
    with pytest.raises(ValueError, match="cannot be read"):
        read_truth(tic_tac_toe, tmp_path / "t.csv")


def test_a_file_of_another_game_is_refused(tic_tac_toe):
    with pytest.raises(ValueError, match="line 2: move '34527521'"):
        read_truth(tic_tac_toe, DATA / "connect_four.csv")


def test_solved_truth_has_every_unfinished_position_once(truth):
    assert truth.action_values.shape == (4520, 9)
    assert len({board.tobytes() for board in np.asarray(truth.states.board)}) == 4520
    assert not np.asarray(truth.states.terminated).any()


def test_every_position_has_a_best_move_and_it_is_legal(tic_tac_toe, truth):
    legal = np.asarray(jax.jit(jax.vmap(tic_tac_toe.legal_action_mask))(truth.states))
    assert truth.is_best.any(axis=1).all()
    assert not (truth.is_best & ~legal).any()


@pytest.mark.parametrize("name", games.names())
def test_solved_truth_is_refused_for_every_game_that_is_too_large(name):
    game = games.make(name)
    assert is_solvable(game) == (name == "tic_tac_toe")
    if not is_solvable(game):
        with pytest.raises(ValueError, match="too large to be solved"):
            solved_truth(game)
