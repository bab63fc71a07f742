import jax
import plain_tic_tac_toe as plain
import pytest
from plain_tic_tac_toe import as_strings

from azjax.evaluation import sample_openings

OPENINGS = 64


@pytest.fixture(scope="module")
def sample(tic_tac_toe):
    def call(num_moves, seed=0):
        return sample_openings(tic_tac_toe, OPENINGS, num_moves, jax.random.key(seed)).states

    return call


def wins_at_once(board):
    return any(plain.winner(plain.after(board, cell)) for cell in plain.moves(board))


def is_lost(board):
    """Tells whether the opponent wins at once after every move."""
    return all(wins_at_once(plain.after(board, cell)) for cell in plain.moves(board))


@pytest.mark.parametrize("num_moves", [0, 3])
def test_an_opening_has_as_many_moves_as_asked_for_and_is_not_over(sample, num_moves):
    states = sample(num_moves)
    assert [9 - board.count(".") for board in as_strings(states)] == [num_moves] * OPENINGS
    assert not states.terminated.any()


def test_a_balanced_opening_has_no_immediate_win(sample):
    boards = as_strings(sample(4))
    assert len(set(boards)) > OPENINGS / 2
    assert not any(wins_at_once(board) or is_lost(board) for board in boards)


def test_an_opening_that_every_move_loses_is_sampled_again(sample):
    """Without that some 27 of 64 are lost after five moves; after eight rounds any is accepted."""
    assert sum(map(is_lost, as_strings(sample(5)))) <= 1


def test_a_game_that_would_end_is_left_as_it_is_before_its_end(sample):
    states = sample(50)
    assert not states.terminated.any()
    assert all(1 <= board.count(".") <= 3 for board in as_strings(states))


@pytest.mark.parametrize("num_moves", [4, 50])
def test_its_moves_lead_to_each_opening(tic_tac_toe, num_moves):
    found = sample_openings(tic_tac_toe, OPENINGS, num_moves, jax.random.key(0))
    boards = as_strings(found.states)
    for index in range(3):
        board = "." * 9
        for cell in found.moves(index):
            board = plain.after(board, cell)
        assert board == boards[index]
