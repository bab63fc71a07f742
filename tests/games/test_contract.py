"""The contract of registered games: the laws of all games, and what no law can know."""

import re

import jax
import numpy as np
import pytest

from azjax.games import make
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


# The laws


def check(game, num_games):
    report = check_game(game, num_games)
    assert report.draws < 1
    # Half of Othello's symmetries change the start; tests of Othello play under these.
    untested = 4 if isinstance(game, Othello) else 0
    assert report.symmetries_played == report.symmetries - untested


def test_a_game_obeys_the_laws_and_random_play_finds_a_winner(game, playout):
    check(game, playout.actions.shape[1])  # as many games, so that compiled functions are shared


@pytest.mark.parametrize("name", ["gomoku_15", "hex", "quixo", "othello", "go_9"])
@pytest.mark.slow
def test_another_size_of_a_game_obeys_the_laws(name):
    check(make(name), num_games=8)


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


def test_observations_and_masks_are_from_the_movers_view(game, playout):
    recoloured = look(game, swap_colours(playout.states))
    # Edges and komi belong to a colour: in these games the last plane is the mover.
    alike = slice(-1) if isinstance(game, Go | Hex) else slice(None)
    np.testing.assert_array_equal(
        recoloured.observation[..., alike], playout.views.observation[..., alike]
    )
    np.testing.assert_array_equal(recoloured.mask, playout.views.mask)


def test_an_observation_distinguishes_the_movers_pieces_from_the_opponents(board_game, playout):
    states, observation = playout.states, playout.views.observation
    swapped = look(board_game, states._replace(current_player=1 - states.current_player))
    has_pieces = observation[..., :2].any((-1, -2, -3))
    differs = (swapped.observation != observation)[..., :2].any((-1, -2, -3))
    assert differs[has_pieces].all()


# Notation


def test_a_rendering_contains_every_coordinate_and_every_piece(board_game, playout):
    names = map(board_game.format_action, range(board_game.num_actions))
    coordinates = {word for name in names for word in re.findall(r"[a-z](?=\d)|\d+", name)}
    state = slice_of(playout.states, (4, 0))
    rendering = board_game.render(state)
    assert coordinates <= set(rendering.split())
    board = board_game.format_state(state).split(" ")[0]
    assert [rendering.count(symbol) for symbol in "XO."] == [board.count(s) for s in "XO."]


def test_parse_state_refuses_other_text_in_one_line(game, playout):
    text = game.format_state(slice_of(playout.states, (1, 0)))
    board = text.split(" ")[0]
    for wrong in ("", board, text[2:], text[0] + text, "?" + text[1:], text + "X", text + "/"):
        with pytest.raises(ValueError, match=r"\A[^\n]+\Z") as refused:
            game.parse_state(wrong)
        assert repr(wrong) in str(refused.value)
