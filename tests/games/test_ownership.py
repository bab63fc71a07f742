"""Who owns the cells at the end of a game."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from azjax import games

from .nim import Nim

NUM_GAMES = 16
BOARDS = ["connect_four:rows=4,columns=5", "hex_5", "othello:size=4", "quixo_3", "tic_tac_toe"]


@functools.cache
def finished(name):
    """Returns the ends of random games, and the owners of their cells."""
    game = games.make(name)
    uniforms = np.random.default_rng(1).random((NUM_GAMES, 60)).astype(np.float32)

    @jax.jit
    def play(uniforms):
        def move(state, uniform):
            legal = game.legal_action_mask(state)
            action = jnp.argmax(jnp.cumsum(legal) > uniform * legal.sum())
            return game.step(state, action), None

        start = game.init(jax.random.key(0))
        state, _ = jax.lax.scan(move, start, uniforms)
        return state, game.ownership(state)

    states, ownership = jax.device_get(jax.vmap(play)(uniforms))
    assert states.terminated.any()
    return game, states, ownership


def nth(states, i):
    return jax.tree.map(lambda x: x[i], states)


@pytest.mark.parametrize("name", BOARDS)
def test_stones_are_owned_by_who_placed_them(name):
    game, states, ownership = finished(name)
    assert ownership.shape == (NUM_GAMES, np.prod(game.observation_shape[:2]))
    assert ownership.dtype == np.int8
    for i in range(NUM_GAMES):
        board = game.format_state(nth(states, i)).split()[0].replace("/", "")
        np.testing.assert_array_equal(ownership[i], [{"X": 1, "O": -1, ".": 0}[c] for c in board])


@pytest.mark.parametrize("name", ["othello:size=4", "go_5:size=3,komi=0.5"])
def test_who_owns_more_has_won(name):
    game, states, ownership = finished(name)
    komi = getattr(game, "komi", 0)
    result = np.sign(ownership.sum(axis=1) - komi)[states.terminated]
    assert len(set(result)) > 1
    np.testing.assert_array_equal(states.rewards[states.terminated, 0], result)


@pytest.mark.parametrize("name", ["othello:size=4", "go_5:size=3,komi=0.5"])
def test_the_lead_is_in_cells_and_that_of_the_winner(name):
    game, states, ownership = finished(name)
    leads = np.array([game.lead(nth(states, i)) for i in range(NUM_GAMES)])
    np.testing.assert_array_equal(leads, ownership.sum(axis=1) - getattr(game, "komi", 0))
    ended = states.terminated
    np.testing.assert_array_equal(np.sign(leads[ended]), states.rewards[ended, 0])


def test_a_line_has_no_lead():
    game, states, _ = finished("tic_tac_toe")
    assert game.lead(nth(states, 0)) is None


def test_in_go_empty_cells_belong_to_the_area_that_encloses_them():
    game = games.make("go_5", size=4)
    state = game.parse_state(".XO./XXO./.XOO/.X.. X")._replace(terminated=jnp.array(True))
    found = game.ownership(state).reshape(4, 4)
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
