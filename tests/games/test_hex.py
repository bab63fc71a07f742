"""Hex: its edges, its chains and the swap."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from azjax.games import make
from azjax.games.hex import FIRST_CELL, SECOND_EDGE

from .moving import choose_legal, jitted, start

HEX_5 = make("hex_5")
SWAP_3 = make("hex", size=3, swap=True)


def play(game, moves, position=None):
    """Returns the state after moves in notation, from the start or from a position."""
    state = game.parse_state(position) if position else game.init(jax.random.key(0))
    for move in moves.split():
        state = jitted(game.step)(state, np.int32(game.parse_action(move)))
    return state


# Edges


@pytest.mark.parametrize(
    ("position", "move", "rewards"),
    [
        ("X../X../.OO X", "a3", [1, -1]),  # a column down the left side
        (".OX/OX./... X", "a3", [1, -1]),  # a chain leaning to the left
        ("X../OX./.O. X", "c3", [0, 0]),  # leaning to the right, cells do not touch
        (".XO/XO./..X O", "a3", [-1, 1]),
        ("XX./OO./... X", "c1", [0, 0]),  # a row does not connect X's edges
        ("X.O/X.O/.X. O", "c3", [0, 0]),  # nor a column O's
    ],
)
def test_player_0_connects_top_and_bottom_and_player_1_left_and_right(position, move, rewards):
    state = play(make("hex", size=3), move, position)
    assert state.rewards.tolist() == rewards
    assert bool(state.terminated) == any(rewards)


# Chains


@pytest.mark.parametrize("game", [HEX_5, make("hex", size=7, swap=True)])
def test_ids_do_not_depend_on_the_order_of_stones(game):
    (states, mask), step = start(game, 20)
    generator = np.random.default_rng(0)
    for _ in range(game.num_cells // 2):
        states, mask = step(states, choose_legal(generator, mask))
    for i in range(20):
        state = jax.tree.map(lambda x, i=i: x[i], states)
        np.testing.assert_array_equal(game.parse_state(game.format_state(state)).board, state.board)


def test_ids_of_a_large_board_need_sixteen_bits():
    assert make("hex", size=11).init(jax.random.key(0)).board.dtype == jnp.int8
    game = make("hex", size=12)
    last = play(game, "l12").board[-1, -1]
    assert (last.dtype, int(last)) == (jnp.int16, SECOND_EDGE)
    assert int(play(game, "a1 b12").board[-1, 1]) == -(FIRST_CELL + 11 * 12 + 1)


# The swap


def test_a_swapped_stone_has_the_chain_of_one_that_was_placed():
    for cell in range(9):
        state = play(SWAP_3, f"{SWAP_3.format_action(cell)} swap")
        parsed = SWAP_3.parse_state(SWAP_3.format_state(state))
        jax.tree.map(np.testing.assert_array_equal, state, parsed)
        assert state.board.reshape(-1)[cell % 3 * 3 + cell // 3] < 0
        assert not state.terminated


@pytest.mark.parametrize(
    ("position", "allowed"),
    [
        (".../.../... X", False),
        (".../.X./... O", True),
        (".../.O./... X", False),  # after a swap
    ],
)
def test_the_swap_is_legal_as_the_second_move_alone(position, allowed):
    state = SWAP_3.parse_state(position)
    assert bool(SWAP_3.legal_action_mask(state)[-1]) == allowed
    if not allowed:
        mover = int(state.current_player)
        assert play(SWAP_3, "swap", position).rewards[mover] == -1


def test_without_the_rule_there_is_no_swap():
    assert HEX_5.num_actions == 25
    with pytest.raises(ValueError, match="'swap' is not a cell"):
        HEX_5.parse_action("swap")
    with pytest.raises(ValueError, match="X moves first"):
        HEX_5.parse_state("...../...../..O../...../..... X")


def test_the_half_turn_does_not_move_the_swap():
    assert SWAP_3.symmetries.actions.tolist() == [[*range(10)], [8, 7, 6, 5, 4, 3, 2, 1, 0, 9]]


# Views and text


def test_an_observation_has_the_stones_by_owner_and_the_mover():
    one, two = play(HEX_5, "b1"), play(HEX_5, "b1 c4")
    seen = np.asarray(HEX_5.observe(one)), np.asarray(HEX_5.observe(two))
    for observation, mine, theirs, across in zip(seen, ([], [1]), ([1], [17]), (1, 0), strict=True):
        planes = observation.reshape(25, 3).T
        assert np.flatnonzero(planes[0]).tolist() == mine
        assert np.flatnonzero(planes[1]).tolist() == theirs
        assert (planes[2] == across).all()


@pytest.mark.parametrize(
    ("position", "message"),
    [
        (".X./.X./OXO X", "has 3 X and 2 O with X to move"),
        ("XO./XO./X.O X", "the side to move has connected its edges"),
    ],
)
def test_a_wrong_position_is_refused(position, message):
    with pytest.raises(ValueError, match=message):
        SWAP_3.parse_state(position)
