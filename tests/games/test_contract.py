"""The contract of registered games: the laws of all games, and what no law can know."""

import re

import chex
import jax
import numpy as np
import pytest
from small_games import SMALL_GAMES

from azjax.games import make, names
from azjax.games.coins import Coins, CoinsState
from azjax.games.go.rules import Go, GoState
from azjax.games.grid import EMPTY
from azjax.games.hex import Hex, HexState
from azjax.games.laws import check_game
from azjax.games.laws.playout import batched, slice_of
from azjax.games.line_game import LineState
from azjax.games.othello import Othello, OthelloState
from azjax.games.quixo import QuixoState


@pytest.fixture
def board_game(game):
    if isinstance(game, Coins):
        pytest.skip("coins have no board and no owner")
    return game


def sample(playout, count=12):
    """Returns states from start to end, finished ones among them, each a tree without a batch."""
    over = playout.states.terminated
    horizon, batch = over.shape
    ends = over.argmax(0)  # the first finished state
    spread = [(i * (horizon - 1) // count, i % batch) for i in range(count)]
    finished = [(ends[b], b) for b in range(4)]
    return [slice_of(playout.states, index) for index in [*spread, *finished]]


# The laws


def check(game, num_games):
    report = check_game(game, num_games)
    assert report.draws < 1
    # Half of Othello's symmetries change the start; tests of Othello play under these.
    untested = 4 if isinstance(game, Othello) else 0
    assert report.symmetries_played == report.symmetries - untested


def test_a_game_obeys_the_laws_and_random_play_finds_a_winner(game, playout):
    check(game, playout.actions.shape[1])  # as many games, so that compiled functions are shared


@pytest.mark.parametrize("name", sorted({*names()} - {*SMALL_GAMES}))
@pytest.mark.slow
def test_another_size_of_a_game_obeys_the_laws(name):
    check(make(name), num_games=8)


# Symmetries


def test_symmetries_cannot_be_written_to(game):
    for permutations in game.symmetries:
        with pytest.raises(ValueError, match="read-only"):
            permutations[0, 0] = 0


# Objects and states


def test_a_state_carries_no_mask_and_no_observation_and_two_bytes_a_cell_at_most(game):
    leaves = jax.tree.leaves(jax.eval_shape(game.init, jax.random.key(0)))
    height, width, _ = game.observation_shape
    history = 8 * (game.max_moves + 1) if isinstance(game, Go) else 0  # hashes of earlier boards
    most = 2 * height * width + 16 + history
    assert sum(leaf.size * leaf.dtype.itemsize for leaf in leaves) <= most
    shapes = [leaf.shape for leaf in leaves]
    assert game.observation_shape not in shapes
    assert (game.num_actions,) not in [leaf.shape for leaf in leaves if leaf.dtype == bool]


def test_a_game_is_a_static_argument_and_two_of_the_same_are_traced_once(game):
    chex.clear_trace_counter()
    start = jax.jit(chex.assert_max_traces(lambda game, key: game.init(key), n=1), static_argnums=0)
    twin = make(game.name)
    assert twin is not game
    assert twin == game
    assert hash(twin) == hash(game)
    start(game, jax.random.key(0))
    start(twin, jax.random.key(0))


# The mover's view


# The fields that change with the colour of all pieces, by type of state.
RECOLOURED = {
    LineState: lambda state: {"board": np.where(state.board == EMPTY, EMPTY, 1 - state.board)},
    HexState: lambda state: {"board": -state.board},
    GoState: lambda state: {"chains": -state.chains, "history": -state.history},
    QuixoState: lambda state: {"cubes": state.cubes[..., ::-1]},
    OthelloState: lambda state: {"discs": state.discs[..., ::-1, :]},
    CoinsState: lambda state: {},
}


def swap_colours(state):
    """Returns the position with the other colour for every piece and for the side to move."""
    recoloured = RECOLOURED[type(state)](state)
    return state._replace(**recoloured, current_player=1 - state.current_player)


def look(game, states):
    """Returns the views of states [T, B, ...]."""
    views = [batched(game).look(slice_of(states, t)) for t in range(len(states.terminated))]
    return jax.tree.map(lambda *leaves: np.stack(leaves), *views)


@pytest.fixture(scope="session")
def recoloured(game, playout):
    return look(game, swap_colours(playout.states))


def test_an_observation_is_from_the_movers_view(game, recoloured, playout):
    # Edges and komi belong to a colour: in these games the last plane is the mover.
    alike = slice(-1) if isinstance(game, Go | Hex) else slice(None)
    np.testing.assert_array_equal(
        recoloured.observation[..., alike], playout.views.observation[..., alike]
    )


def test_a_legal_mask_does_not_depend_on_colours(recoloured, playout):
    np.testing.assert_array_equal(recoloured.mask, playout.views.mask)


def test_an_observation_distinguishes_the_movers_pieces_from_the_opponents(board_game, playout):
    states, observation = playout.states, playout.views.observation
    swapped = look(board_game, states._replace(current_player=1 - states.current_player))
    has_pieces = observation[..., :2].any((-1, -2, -3))
    differs = (swapped.observation != observation)[..., :2].any((-1, -2, -3))
    assert differs[has_pieces].all()


# Notation


def test_a_position_is_one_line_of_rows_and_the_side_to_move(board_game, playout):
    height, width, _ = board_game.observation_shape
    for state in sample(playout):
        board, side, *_ = board_game.format_state(state).split(" ")
        rows = board.split("/")
        assert [len(row) for row in rows] == [width] * height
        assert set(board) <= set("XO./")
        assert side == "XO"[int(state.current_player)]


def test_parse_state_refuses_other_text_in_one_line(game, playout):
    text = game.format_state(slice_of(playout.states, (1, 0)))
    board = text.split(" ")[0]
    for wrong in ("", board, text[2:], text[0] + text, "?" + text[1:], text + "X", text + "/"):
        with pytest.raises(ValueError, match=r"\A[^\n]+\Z") as refused:
            game.parse_state(wrong)
        assert repr(wrong) in str(refused.value)


def test_a_rendering_contains_every_coordinate_and_every_piece(board_game, playout):
    coordinates = {
        word
        for action in range(board_game.num_actions)
        for word in re.findall(r"[a-z](?=\d)|\d+", board_game.format_action(action))
    }
    for state in sample(playout, 4):
        rendering = board_game.render(state)
        assert coordinates <= set(rendering.split())
        board = board_game.format_state(state).split(" ")[0]
        for symbol in "XO.":
            assert rendering.count(symbol) == board.count(symbol)
