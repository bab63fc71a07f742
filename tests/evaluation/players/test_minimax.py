import functools

import jax
import numpy as np
import plain_tic_tac_toe as plain
import pytest
from search.moving_again import KEEP, PASS, Countdown

from azjax.evaluation import choose_actions, minimax_player
from azjax.evaluation.players.minimax import minimax_values


def winning(board):
    """Returns the moves that win at once."""
    return [cell for cell in plain.moves(board) if plain.winner(plain.after(board, cell))]


def safe(board):
    """Returns the moves after which no reply wins."""
    return [cell for cell in plain.moves(board) if not winning(plain.after(board, cell))]


def test_depth_2_takes_a_win_and_else_blocks_a_loss(tic_tac_toe, moves_of, unfinished_boards):
    moves = moves_of(minimax_player(tic_tac_toe, depth=2))
    for board, move in zip(unfinished_boards, moves, strict=True):
        assert move in (winning(board) or safe(board) or plain.moves(board)), board


def test_depth_2_samples_evenly_without_threats(tic_tac_toe):
    empty = jax.tree.map(np.asarray, tic_tac_toe.init(jax.random.key(0)))
    states = jax.tree.map(lambda x: np.resize(x, (4520, *x.shape)), empty)
    keys = jax.random.split(jax.random.key(0), 4520)
    counts = np.bincount(
        choose_actions(minimax_player(tic_tac_toe, depth=2), states, keys), minlength=9
    )
    assert (np.abs(counts - 4520 / 9) < 5 * np.sqrt(4520 / 9)).all()


def test_values_are_those_of_a_plain_recursion(tic_tac_toe, positions, unfinished_boards):
    """Results are discounted, so that wins come early and losses late."""
    depth = 3
    states = jax.tree.map(lambda x: x[::40], positions.states)
    compiled = jax.jit(functools.partial(minimax_values, tic_tac_toe, depth=depth))
    for board, row in zip(unfinished_boards[::40], compiled(states), strict=True):
        expected = np.full(9, -2.0)
        for cell, value in plain.minimax_values(board, depth, discount=0.99).items():
            expected[cell] = value
        np.testing.assert_allclose(row, expected, atol=1e-6, err_msg=board)


def minimax_from_start(game, depth):
    """Returns [A]: the values of the actions in the first position."""

    @jax.jit
    def find(keys):
        return minimax_values(game, jax.vmap(game.init)(keys), depth)[0]

    return find(jax.random.split(jax.random.key(0), 1))


def test_moving_again_keeps_the_sign_of_the_value():
    values = minimax_from_start(Countdown(moves=3), depth=3)
    assert values[KEEP] == pytest.approx(0.99**2)
    assert values[PASS] == pytest.approx(-(0.99**2))


def test_a_game_unfinished_at_the_depth_counts_as_a_draw():
    assert minimax_from_start(Countdown(moves=3), depth=2).tolist() == [0, 0]


@pytest.mark.parametrize(
    ("depth", "complaint"), [(0, "must be at least 1"), (8, "9 actions, so at most 7")]
)
def test_a_depth_out_of_range_is_refused(tic_tac_toe, depth, complaint):
    with pytest.raises(ValueError, match=f"depth={depth}: .*{complaint}"):
        minimax_player(tic_tac_toe, depth)
