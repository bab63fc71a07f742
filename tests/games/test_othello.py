"""Othello: flips, passes, ends, and a plain reference on every size of board."""

import itertools

import jax
import numpy as np
import pytest

from azjax.games import bitboard, make
from azjax.games.laws.playout import batched, play_randomly, slice_of

from . import othello_reference
from .moving import choose_legal, move, start

OTHELLO, OTHELLO_6, OTHELLO_4 = (make("othello", size=size) for size in (8, 6, 4))


def legal(game, position):
    mask = np.asarray(game.legal_action_mask(game.parse_state(position)))
    return [game.format_action(action) for action in np.flatnonzero(mask)]


# The start


@pytest.mark.parametrize(
    ("game", "position", "moves"),
    [
        (OTHELLO_4, "..../.OX./.XO./.... X", "b1 a2 d3 c4"),
        (OTHELLO_6, "....../....../..OX../..XO../....../...... X", "c2 b3 e4 d5"),
    ],
)
def test_player_0_starts_with_the_rising_diagonal_of_the_middle(game, position, moves):
    assert game.format_state(game.init(jax.random.key(0))) == position
    assert legal(game, position) == moves.split()


# Flips


def board_of(cells):
    """Returns the position of 8x8 with these cells, X to move, from (row, column) to symbols."""
    rows = [[cells.get((row, column), ".") for column in range(8)] for row in range(8)]
    return f"{'/'.join(map(''.join, rows))} X"


def discs_of(cells):
    """Returns [2, 2]: the bitboards of X and of O on 8x8, from (row, column) to symbols."""
    owners = [[cells.get(cell) == symbol for cell in np.ndindex(8, 8)] for symbol in "XO"]
    return bitboard.pack(np.array(owners))


@jax.jit
@jax.vmap
def flip(discs, action):
    """Returns the bitboards after a move of X."""
    state = OTHELLO.init(jax.random.key(0))._replace(discs=discs)
    return OTHELLO.step(state, action).discs


DIRECTIONS = [(down, right) for down in (-1, 0, 1) for right in (-1, 0, 1) if down or right]


def ray(row, column, down, right):
    """Returns the cells from one, itself left out, to the edge of the board."""
    cells = [(row + i * down, column + i * right) for i in range(1, 8)]
    return [(r, c) for r, c in cells if 0 <= r < 8 and 0 <= c < 8]


def test_a_run_of_any_length_up_to_the_edge_is_flipped_in_each_direction():
    before, actions, expected = [], [], []
    for disc, direction in itertools.product(np.ndindex(8, 8), DIRECTIONS):
        cells = ray(*disc, *direction)
        for end in range(1, len(cells)):
            run = dict.fromkeys(cells[:end], "O") | {cells[end]: "X"}
            before.append(discs_of(run))
            actions.append(8 * disc[0] + disc[1])
            turned = dict.fromkeys([disc, *cells[: end + 1]], "X")
            expected.append(discs_of(turned))
    after = flip(np.stack(before), np.array(actions, np.int32))
    np.testing.assert_array_equal(after, np.stack(expected))


@pytest.mark.parametrize(
    "cells",
    [
        {(2, 7): "O", (3, 0): "X"},  # to the right, around the edge
        {(0, 2): "O", (7, 2): "X"},  # upwards
        {(2, 7): "O", (4, 0): "X"},  # down and right
    ],
)
def test_no_run_goes_around_an_edge(cells):
    elsewhere = {(6, 4): "O", (6, 5): "X"}  # otherwise X would have to pass
    assert legal(OTHELLO, board_of(cells | elsewhere)) == ["d7"]


# Passes and ends


def test_a_pass_is_legal_only_where_there_is_no_other_move():
    assert legal(OTHELLO_4, "OOO./.XX./.XXX/.... X") == ["pass"]
    after = move(OTHELLO_4, "OOO./.XX./.XXX/.... X", "pass")
    assert OTHELLO_4.format_state(after) == "OOO./.XX./.XXX/.... O"
    assert not after.terminated


@pytest.mark.parametrize(
    ("position", "cell", "expected", "rewards"),
    [
        ("OXXX/XXXO/XXXO/X.XO O", "b4", "OXXX/XXXO/XXOO/XOOO X", [1, -1]),
        ("X.OX/XXXX/OOXO/OXXX O", "b1", "XOOX/XOOX/OOXO/OXXX X", [0, 0]),
        ("...X/.OXX/.XXX/.X.O X", "a1", "X..X/.XXX/.XXX/.X.O O", [1, -1]),  # with empty cells
        ("OOO./OOX./OXX./..X. O", "d3", "OOO./OOO./OOOO/..X. X", [-1, 1]),
        ("..../.OX./..../.... X", "a2", "..../XXX./..../.... O", [1, -1]),  # no disc is left
    ],
)
def test_the_game_is_over_once_neither_can_move_and_more_discs_win(
    position, cell, expected, rewards
):
    after = move(OTHELLO_4, position, cell)
    assert OTHELLO_4.format_state(after) == expected
    assert after.terminated
    assert after.rewards.tolist() == rewards
    assert OTHELLO_4.parse_state(expected).rewards.tolist() == rewards


# The plain reference


@pytest.mark.parametrize("size", [4, pytest.param(6, marks=pytest.mark.slow)])
def test_random_games_are_the_same_in_plain_python_at_each_step(size):
    game, rules = make("othello", size=size), othello_reference.Othello(size)
    (states, mask), step = start(game, 100)
    observe = jax.jit(jax.vmap(game.observe))
    generator = np.random.default_rng(size)
    theirs = [masks_of(rules, planes) for planes in np.asarray(observe(states))]
    while not states.terminated.all():
        actions = choose_legal(generator, mask)
        for i in np.flatnonzero(~states.terminated):
            after = rules.moves(*theirs[i])
            assert np.flatnonzero(mask[i]).tolist() == (list(after) or [size**2])
            theirs[i] = after.get(actions[i], theirs[i][::-1])
        states, mask = step(states, actions)
        planes = np.asarray(observe(states))
        for i in np.flatnonzero(~states.terminated):
            assert masks_of(rules, planes[i]) == theirs[i]
    for i, (mine, opponents) in enumerate(theirs):
        assert not rules.moves(mine, opponents)
        assert not rules.moves(opponents, mine)
        lead = np.sign(mine.bit_count() - opponents.bit_count())
        assert states.rewards[i, states.current_player[i]] == lead


def masks_of(rules, planes):
    mine, theirs = planes.reshape(-1, 2).T
    return rules.mask(np.flatnonzero(mine)), rules.mask(np.flatnonzero(theirs))


# Symmetries


def test_symmetries_that_exchange_the_colours_of_the_start_permute_the_game_from_there():
    game = make("othello_6")
    play, functions = play_randomly(game, 32, seed=0), batched(game)
    start, first = slice_of(play.states, 0), play.views.observation[0, 0].reshape(36, 2)
    exchanging = [
        (cells, actions)
        for cells, actions in zip(*game.symmetries, strict=True)
        if (first[cells] != first).any()
    ]
    assert len(exchanging) == 4
    for cells, actions in exchanging:
        states = start._replace(discs=start.discs[:, ::-1])
        for t, played in enumerate(play.actions):
            states = functions.step(states, np.argsort(actions)[played].astype(np.int32))
            view, expected = functions.look(states), slice_of(play.views, t + 1)
            np.testing.assert_array_equal(view.mask, expected.mask[:, actions])
            found, original = (x.observation.reshape(-1, 36, 2) for x in (view, expected))
            np.testing.assert_array_equal(found, original[:, cells])
            np.testing.assert_array_equal(states.rewards, play.states.rewards[t + 1])
