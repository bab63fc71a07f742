import jax
import numpy as np
import plain_tic_tac_toe as plain
import pytest
from endless import Endless

from azjax import games
from azjax.evaluation import is_solvable, solve
from azjax.evaluation.truth.solution import ILLEGAL, keeps_value, plays_best


def test_tic_tac_toe_has_5478_positions_of_which_4520_are_unfinished(solution, boards):
    assert len(boards) == 5478
    assert (~solution.states.terminated).sum() == 4520
    assert set(boards) == plain.reachable()


def test_every_value_is_that_of_a_plain_minimax(solution, boards):
    assert solution.value.tolist() == [plain.value(board) for board in boards]


def test_every_action_value_is_that_of_a_plain_minimax(solution, boards):
    for row, board in zip(solution.action_values, boards, strict=True):
        expected = np.full(9, ILLEGAL)
        for cell in plain.moves(board):
            expected[cell] = -plain.value(plain.after(board, cell))
        assert row.tolist() == expected.tolist(), board


class TwoStarts(Endless):
    def init(self, key):
        return super().init(key)._replace(location=jax.random.bernoulli(key).astype("int8"))


def test_a_game_that_starts_from_several_positions_is_refused():
    game = TwoStarts(reward=1)
    assert not is_solvable(game)
    with pytest.raises(ValueError, match="endless is not solved, as its games start from diff"):
        solve(game)


def test_play_without_end_is_a_draw_where_neither_side_gains_by_ending_it():
    solution = solve(Endless(reward=-1))
    unfinished = ~solution.states.terminated
    assert (solution.value[unfinished] == 0).all()
    assert (solution.action_values[unfinished] == [0, -1]).all()


def test_a_cycle_does_not_hide_a_win():
    solution = solve(Endless(reward=1))
    unfinished = ~solution.states.terminated
    assert (solution.value[unfinished] == 1).all()
    assert (solution.action_values[unfinished] == [-1, 1]).all()


def test_exact_play_chooses_all_moves_that_keep_the_value_where_no_position_recurs(solution):
    assert (plays_best(solution) == keeps_value(solution.action_values)).all()


def test_exact_play_of_a_won_position_ends_where_positions_recur():
    solution = solve(games.make("quixo_3"))
    best, rounds, children = plays_best(solution), solution.rounds, solution.children
    won, lost = ((solution.value == value) & ~solution.states.terminated for value in (1, -1))
    kept = keeps_value(solution.action_values)
    assert best[won].any(axis=1).all()
    assert (best[won] < kept[won]).any(), "some moves that win delay the end"
    others = ~won & ~solution.states.terminated
    assert (best[others] == kept[others]).all()
    for position, action in zip(*np.nonzero(best & won[:, None]), strict=True):
        assert rounds[children[position, action]] < rounds[position]
    legal = children[lost] >= 0
    assert (rounds[children[lost]] < rounds[lost][:, None])[legal].all()


def test_moving_again_keeps_the_sign_of_the_value():
    solution = solve(Endless(reward=1, keeps_turn=True))
    assert solution.value[0] == 1
    assert solution.action_values[0].tolist() == [1, ILLEGAL]
