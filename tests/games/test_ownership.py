"""Who owns the cells at the end of a game."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from azjax import games
from azjax.games.coins import Coins
from azjax.games.go.rules import Go
from azjax.games.laws.playout import slice_of

from .nim import Nim


@pytest.fixture(scope="module")
def finished(game, playout):
    """Returns the ends of random games, and the owners of their cells."""
    if isinstance(game, Coins):
        pytest.skip("coins have no owner")
    states = slice_of(playout.states, -1)
    assert states.terminated.all()
    return states, jax.device_get(jax.jit(jax.vmap(game.ownership))(states))


def test_stones_are_owned_by_who_placed_them(game, finished):
    states, ownership = finished
    assert ownership.shape == (len(states.terminated), np.prod(game.observation_shape[:2]))
    assert ownership.dtype == np.int8
    for i, owners in enumerate(ownership):
        board = game.format_state(slice_of(states, i)).split()[0].replace("/", "")
        expected = np.array([{"X": 1, "O": -1, ".": 0}[symbol] for symbol in board])
        are_stones = expected != 0 if isinstance(game, Go) else slice(None)
        np.testing.assert_array_equal(owners[are_stones], expected[are_stones])


def test_the_lead_is_in_cells_where_cells_decide(game, finished):
    states, ownership = finished
    leads = [game.lead(slice_of(states, i)) for i in range(len(ownership))]
    if game.name in ("othello_6", "go_5"):
        np.testing.assert_array_equal(leads, ownership.sum(axis=1) - getattr(game, "komi", 0))
    else:
        assert set(leads) == {None}


def test_in_go_empty_cells_belong_to_the_area_that_encloses_them():
    game = games.make("go_5", size=4)
    state = game.parse_state(".XO./XXO./.XOO/.X.. X")._replace(terminated=jnp.array(True))
    found = jax.jit(game.ownership)(state).reshape(4, 4)
    expected = [
        [1, 1, -1, -1],
        [1, 1, -1, -1],
        [1, 1, -1, -1],
        [1, 1, 0, 0],
    ]  # both reach the last two
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("game", [Nim(), games.make("coins")], ids=["nim", "coins"])
def test_a_game_without_cells_to_own_says_so(game):
    assert not game.has_ownership
    with pytest.raises(NotImplementedError, match=f"^{game.name} has no owners of cells$"):
        game.ownership(game.init(jax.random.key(0)))
    assert games.make("tic_tac_toe").has_ownership
