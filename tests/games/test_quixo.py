"""Quixo: pushes in each direction, lines of either player, the draw, and a plain reference."""

import numpy as np
import pytest

from azjax.games import make

from . import quixo_reference
from .moving import choose_legal, move, start

QUIXO, QUIXO_3 = make("quixo"), make("quixo_3")


# Actions


PATTERN = "XO.XO/O..../X...X/..O../O.X.."


@pytest.mark.parametrize(
    ("action", "expected"),
    [
        ("0,0,R", "O.XOX/O..../X...X/..O../O.X.."),
        ("0,2,L", "XXOXO/O..../X...X/..O../O.X.."),
        ("0,0,B", "OO.XO/X..../....X/O.O../X.X.."),
        ("4,2,T", "XOXXO/O..../X...X/...../O.O.."),
        ("4,4,T", "XO.XX/O...O/X..../..O.X/O.X.."),
    ],
)
def test_the_cubes_between_are_pushed_towards_the_gap(action, expected):
    after = move(QUIXO, f"{PATTERN} X 6", action)
    assert QUIXO.format_state(after) == f"{expected} O 7"


# Ends


@pytest.mark.parametrize(
    ("position", "action", "rewards"),
    [
        ("XX./O../O.. X", "0,2,L", [1, -1]),
        ("X../X../.OO X", "2,0,T", [1, -1]),
        ("X../.X./OO. X", "1,2,B", [1, -1]),  # the falling diagonal
        ("..O/.O./.XX O", "1,0,B", [-1, 1]),  # the rising diagonal
        ("XX./O../O.. X", "2,2,L", [0, 0]),
        (".XX/.../.OO X", "1,2,L", [0, 0]),  # three in a row of memory, but on two rows
    ],
)
def test_an_own_line_wins(position, action, rewards):
    after = move(QUIXO_3, position, action)
    assert after.rewards.tolist() == rewards
    assert bool(after.terminated) == any(rewards)


@pytest.mark.parametrize(
    ("position", "action", "expected"),
    [
        ("OX./OX./.OX O", "0,0,R", "X.O/OX./.OX X 1"),
        (".../.XX/XOO O", "0,0,B", ".../XXX/OOO X 1"),  # even with an own line
    ],
)
def test_who_completes_a_line_of_the_opponent_loses(position, action, expected):
    after = move(QUIXO_3, position, action)
    assert QUIXO_3.format_state(after) == expected
    assert after.rewards.tolist() == [1, -1]


@pytest.mark.parametrize(
    ("position", "action", "rewards"),
    [(".../.../... O 71", "0,0,R", [0, 0]), ("XX./O../O.. X 71", "0,2,L", [1, -1])],
)
def test_a_game_that_lasts_to_max_moves_is_a_draw_unless_its_last_move_wins(
    position, action, rewards
):
    assert not QUIXO_3.parse_state(position).terminated
    after = move(QUIXO_3, position, action)
    assert after.num_moves == QUIXO_3.max_moves
    assert after.terminated
    assert after.rewards.tolist() == rewards


# Text


@pytest.mark.parametrize(
    ("text", "rewards", "terminated"),
    [
        ("XXX/OOO/... X 6", [1, -1], True),  # the mover of the last move was O, and loses
        ("XXX/OOO/... O 7", [-1, 1], True),
        ("XX./OO./... X 6", [0, 0], False),
    ],
)
def test_a_position_is_finished_by_a_line_or_the_move_count(text, rewards, terminated):
    state = QUIXO_3.parse_state(text)
    assert state.rewards.tolist() == rewards
    assert bool(state.terminated) == terminated


@pytest.mark.parametrize(
    ("position", "message"), [(".../.../... X 73", "has more than 72 moves played")]
)
def test_a_wrong_position_is_refused(position, message):
    with pytest.raises(ValueError, match=message):
        QUIXO_3.parse_state(position)


@pytest.mark.parametrize("text", ["0,0,L", "1,1,L", "0,5,B", "0,0"])
def test_a_cube_from_the_middle_or_back_to_its_cell_is_no_move(text):
    with pytest.raises(ValueError, match=f"'{text}' is not a move: write the row and column"):
        QUIXO.parse_action(text)


# The plain reference


@pytest.mark.parametrize(
    ("size", "num_games"), [(3, 500), pytest.param(5, 100, marks=pytest.mark.slow)]
)
def test_random_games_are_the_same_in_plain_numpy_at_each_step(size, num_games):
    game = make("quixo", size=size)
    (states, mask), step = start(game, num_games)
    theirs = [quixo_reference.Quixo(size) for _ in range(num_games)]
    generator = np.random.default_rng(size)
    while not states.terminated.all():
        actions = choose_legal(generator, mask)
        for reference, legal, action in zip(theirs, mask, actions, strict=True):
            names = [game.format_action(action) for action in np.flatnonzero(legal)]
            assert reference.moves() == names
            if names:
                reference.play(game.format_action(action))
        states, mask = step(states, actions)
        for i, reference in enumerate(theirs):
            if reference.winner is None:
                assert not states.terminated[i]
            else:
                assert states.rewards[i].tolist() == [[1, -1], [-1, 1]][reference.winner]
