"""Hand-made positions: the rules at the edges of the board, and error messages."""

import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from azjax.games import hash_state, make, names, play_random_moves, register_game
from azjax.games.connect_four import ConnectFour
from azjax.games.grid import EMPTY
from azjax.games.line_game import LineState
from azjax.games.mnk import Mnk

from .moving import jitted, move

TIC_TAC_TOE = make("tic_tac_toe")
CONNECT_FOUR = make("connect_four")
GOMOKU = make("gomoku_9")
DIRECTIONS = {"row": (0, 1), "column": (1, 0), "falling": (1, 1), "rising": (1, -1)}


def result(game, position, action_text):
    state = move(game, position, action_text)
    if not state.terminated:
        return "goes on"
    return {1: "X wins", 0: "draw", -1: "O wins"}[int(state.rewards[0])]


# Lines


def falls(game):
    return isinstance(game, ConnectFour)


def lines(game):
    """Yields (direction, cells) of each line that fits on the board, cells as (row, column)."""
    for direction, (down, right) in DIRECTIONS.items():
        for row in range(game.rows):
            for column in range(game.columns):
                cells = [(row + i * down, column + i * right) for i in range(game.length)]
                if all(0 <= r < game.rows and 0 <= c < game.columns for r, c in cells):
                    yield direction, cells


def wrapped_lines(game):
    """Yields cells that follow each other in memory but leave the board between two of them."""
    real = {frozenset(cells) for _, cells in lines(game)}
    size = game.rows * game.columns
    for stride in (1, game.columns, game.columns + 1, game.columns - 1):
        for start in range(size):
            cells = [divmod((start + i * stride) % size, game.columns) for i in range(game.length)]
            if len(set(cells)) == game.length and frozenset(cells) not in real:
                yield cells


def before_last_stone(game, cells, last, mover):
    """Returns a board with the mover's stones on all cells but the last, and that one's action.

    Where stones fall, the cells below are the opponent's; only the mover's lines count.
    """
    board = np.full((game.rows, game.columns), EMPTY, np.int8)
    if falls(game):
        for row, column in cells:
            board[row + 1 :, column] = 1 - mover
    for cell in cells:
        board[cell] = mover
    row, column = last
    if falls(game):
        board[: row + 1, column] = EMPTY
    else:
        board[last] = EMPTY
    return board, column if falls(game) else row * game.columns + column


def won_after_last_stone(game, cases):
    """Returns for each (cells, last, mover) whether the last stone wins for the mover."""
    boards, actions = zip(*(before_last_stone(game, *case) for case in cases), strict=True)
    movers = np.array([mover for _, _, mover in cases], np.int8)
    states = LineState(
        board=np.stack(boards),
        current_player=movers,
        terminated=np.zeros(len(cases), bool),
        rewards=np.zeros((len(cases), 2), np.int8),
    )
    after = jax.device_get(jax.jit(jax.vmap(game.step))(states, np.array(actions, np.int32)))
    wins = after.rewards[np.arange(len(cases)), movers] == 1
    np.testing.assert_array_equal(wins, after.terminated)
    return wins


@pytest.mark.parametrize(
    "game",
    [CONNECT_FOUR, GOMOKU, Mnk(rows=4, columns=6, length=3)],
    ids=lambda game: f"{game.name}-{game.rows}x{game.columns}-{game.length}",
)
def test_every_line_wins_for_either_player_but_none_around_an_edge_or_too_short(game):
    complete = [
        (cells, last)
        for direction, cells in lines(game)
        # In a column the highest stone falls last.
        for last in (cells[:1] if direction == "column" and falls(game) else cells)
    ]
    wrapped = [(cells, min(cells)) for cells in wrapped_lines(game)]
    short_of_one = [(cells[:-1], min(cells[:-1])) for _, cells in lines(game)]
    for cases, is_won in ((complete, True), (wrapped, False), (short_of_one, False)):
        wins = won_after_last_stone(game, [(*case, mover) for case in cases for mover in (0, 1)])
        assert len(wins) > 10
        assert (wins == is_won).all()


GOMOKU_REST = "/.........".join([""] * 8)


@pytest.mark.parametrize(
    ("game", "position", "action", "expected"),
    [
        (TIC_TAC_TOE, "XX./OO./... X", "c1", "X wins"),
        (TIC_TAC_TOE, "XOX/XOO/OX. X", "c3", "draw"),
        (TIC_TAC_TOE, "XOX/OXO/OX. X", "c3", "X wins"),  # with the last cell
        (GOMOKU, f"XXX.XX.../OOO.OO...{GOMOKU_REST} X", "d1", "X wins"),  # six in a row
        (CONNECT_FOUR, "......./......./......./......./OOO.OOO/XXX.XXX X", "4", "X wins"),
        (CONNECT_FOUR, "XOXOX.X/XOXOXOX/OXOXOXO/OXOXOXO/XOXOXOX/OXOXOXO O", "6", "draw"),
        # A rising diagonal, with the last cell.
        (CONNECT_FOUR, "OOXXX.X/OXXXOOO/XXXOOXO/OOOXXOO/OXOXOXX/XXOXXOO O", "6", "O wins"),
    ],
)
def test_a_position_and_a_move_have_this_result(game, position, action, expected):
    assert result(game, position, action) == expected


# Actions


def test_a_position_may_be_its_columns():
    wide = ConnectFour(columns=10)
    for game, columns, position in (
        (
            CONNECT_FOUR,
            "44455",
            "/".join([*3 * ["......."], "...X...", "...OX..", "...XO.."]) + " O",
        ),
        (CONNECT_FOUR, "1212121", "/".join([*2 * ["......."], "X......", *3 * ["XO....."]]) + " O"),
        (wide, "10 9", "/".join([*5 * [".........."], "........OX"]) + " X"),
    ):
        assert game.format_state(game.parse_state(columns)) == position


# Error messages


@pytest.mark.parametrize(
    ("game", "text", "message"),
    [
        (TIC_TAC_TOE, ".../... X", r"not 3 rows of 3, as in '\.\.\./\.\.\./\.\.\. X'"),
        (TIC_TAC_TOE, ".../.Z./... X", "has 'Z'; cells are X, O or ."),
        (TIC_TAC_TOE, ".../.../... Z", "does not end in the side to move"),
        (TIC_TAC_TOE, "X../.../... X", "has 1 X and 0 O with X to move; X moves first"),
        (TIC_TAC_TOE, "XXX/OO./O.. X", "the side to move has a line"),
        (CONNECT_FOUR, "......./......./......./......./X....../....... O", "an empty cell"),
        (CONNECT_FOUR, "4444444", "'4444444' goes on in column 4, which is full"),
        (CONNECT_FOUR, "12121213", "'12121213' goes on after a line, so the game was over"),
    ],
)
def test_the_error_of_a_wrong_position_states_why(game, text, message):
    with pytest.raises(ValueError, match=message) as refused:
        game.parse_state(text)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("text", "terminated", "rewards"),
    [
        ("XXX/OO./... O", True, [1, -1]),
        ("XX./OOO/X.. X", True, [-1, 1]),
        ("XOX/XOO/OXX O", True, [0, 0]),
        ("XX./OO./... X", False, [0, 0]),
    ],
)
def test_a_position_is_finished_by_its_board(text, terminated, rewards):
    state = TIC_TAC_TOE.parse_state(text)
    assert bool(state.terminated) == terminated
    assert state.rewards.tolist() == rewards


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("tic_tac_toe:rows=0", "rows=0, columns=3: each must be 1 to 26"),
        ("tic_tac_toe:length=4", "length=4: a line must fit"),
        ("coins:take=30", "take=30: must be 1 to 21"),
        ("go_5:size=1", "must be 2 to 26"),
        ("hex:size=27", "size=27: must be 1 to 26"),
        ("othello:size=5", "size=5: must be 4, 6 or 8"),
        ("pgx:chess:max_moves=0", "max_moves=0: must be at least 1"),
        ("quixo:size=6", "size=6: must be 3, 4 or 5"),
    ],
)
def test_a_game_of_impossible_size_is_refused(name, message):
    with pytest.raises(ValueError, match=message):
        make(name)


# The registry


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("tictactoe", r"^no game is named 'tictactoe'; did you mean 'tic_tac_toe'\?$"),
        ("zzz", "there are tic_tac_toe, .*connect_four"),
    ],
)
def test_the_error_of_an_unknown_game_suggests_the_nearest_name(name, message):
    with pytest.raises(ValueError, match=message):
        make(name)


@pytest.mark.parametrize(
    ("name", "sizes", "canonical"),
    [
        ("hex:size=7,swap=true", {"size": 7, "swap": True}, "hex:size=7,swap=true"),
        ("connect_four:rows=6", {"rows": np.float32(6)}, "connect_four"),
        ("go_9:komi=7", {"komi": 7}, "go_9:komi=7.0"),
    ],
)
def test_a_name_may_give_sizes_and_the_game_is_named_by_those_that_differ(name, sizes, canonical):
    game = make(name)
    assert game == make(name.partition(":")[0], **sizes)
    assert game.name == canonical
    assert make(game.name) == game


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("hex:sise=7", "hex has no size 'sise'; did you mean 'size'?"),
        ("hex:swap=1", "swap=1: must be of type bool"),
        ("hex:size", "hex: 'size' is no size: write SIZE=VALUE, separated by commas"),
        ("hex:size=5,size=7", "hex: size is given twice"),
    ],
)
def test_a_name_with_wrong_sizes_is_refused_in_one_line(name, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        make(name)


@pytest.mark.usefixtures("registrations")
def test_a_registered_game_is_made_by_name_with_its_defaults_or_other_sizes():
    register_game("wide", Mnk, rows=2, columns=5, length=2)
    assert names()[-1] == "wide"
    assert make("wide") == Mnk(rows=2, columns=5, length=2, name="wide")
    assert make("wide", rows=3).rows == 3


@pytest.mark.usefixtures("registrations")
def test_a_name_is_registered_once():
    with pytest.raises(ValueError, match="'connect_four' is registered already"):
        register_game("connect_four", Mnk)
    assert make("connect_four") == CONNECT_FOUR


# Random starts and hashes


@pytest.mark.parametrize("num_moves", [0, 4, 9])
def test_random_moves_are_played_in_turn_and_never_end_the_game(num_moves):
    start = TIC_TAC_TOE.init(jax.random.key(0))
    keys = jax.random.split(jax.random.key(1), 256)
    play = jitted(play_from_start)
    states = play(start, jnp.int32(num_moves), keys)
    stones = (states.board != EMPTY).sum((1, 2))
    assert not states.terminated.any()
    assert not states.rewards.any()
    assert stones.max() == min(num_moves, 8)
    assert num_moves > 4 or (stones == num_moves).all()  # no player can win in four moves
    np.testing.assert_array_equal(states.current_player, stones % 2)
    np.testing.assert_array_equal((states.board == 0).sum((1, 2)), (stones + 1) // 2)


def play_from_start(start, num_moves, keys):
    uniforms = jax.vmap(lambda key: jax.random.uniform(key, (TIC_TAC_TOE.max_moves,)))(keys)
    return jax.vmap(lambda uniforms: play_random_moves(TIC_TAC_TOE, start, num_moves, uniforms))(
        uniforms
    )


def test_there_are_as_many_hashes_as_positions(playout):
    states = jax.tree.map(lambda x: x.reshape(-1, *x.shape[2:]), playout.states)
    hashes = np.asarray(jax.jit(jax.vmap(hash_state))(states))
    positions = np.concatenate([x.reshape(len(hashes), -1) for x in states], axis=1)
    assert hashes.dtype == np.uint32
    assert len(np.unique(hashes)) == len({position.tobytes() for position in positions}) > 20
