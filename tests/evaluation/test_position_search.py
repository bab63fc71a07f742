"""The search of one position, for people to read."""

import jax
import numpy as np
import pytest
from games.moving import jitted

from azjax.evaluation import mcts_player, random_player, search_position
from azjax.games import make
from azjax.search import UCT

GAME = make("tic_tac_toe")


def player(kind=UCT):
    return mcts_player(GAME, kind(num_simulations=64))


@pytest.fixture(scope="module")
def winning():
    """Returns the search of a position in which c1 wins."""
    return search_position(player(), GAME.parse_state("XX./OO./... X"))


def test_the_winning_move_is_found_with_its_value(winning):
    assert GAME.format_action(winning.action) == "c1"
    assert 0.3 < winning.value <= 1  # the mean over simulations
    assert winning.q_values[winning.action] == 1
    assert winning.principal_variation == [winning.action]


def test_arrays_have_an_entry_for_each_action(winning):
    occupied = [0, 1, 3, 4]
    for name in ("policy", "prior", "visits", "q_values"):
        assert getattr(winning, name).shape == (9,), name
    assert winning.policy.sum() == pytest.approx(1)
    assert winning.visits.sum() == 64
    assert (winning.visits[occupied] == 0).all()
    assert np.isnan(winning.q_values[occupied]).all()


def test_the_principal_variation_follows_the_most_visited_moves_of_both_sides():
    """X must block at c2; the line goes on with moves of both sides."""
    found = search_position(player(), GAME.parse_state("X../OO./..X X"))
    assert GAME.format_action(found.principal_variation[0]) == "c2"
    assert len(found.principal_variation) >= 2
    state = GAME.parse_state("X../OO./..X X")
    for action in found.principal_variation:
        assert jitted(GAME.legal_action_mask)(state)[action]
        state = jitted(GAME.step)(state, np.int32(action))


def test_a_player_that_does_not_search_is_refused():
    with pytest.raises(ValueError, match="does not search: name an agent, or mcts"):
        search_position(random_player(GAME), GAME.init(jax.random.key(0)))


def test_a_finished_position_is_refused():
    state = GAME.parse_state("XX./OO./... X")
    with pytest.raises(ValueError, match="the game is over in this position"):
        search_position(player(), jitted(GAME.step)(state, np.int32(2)))


def test_what_is_no_state_of_the_game_is_refused():
    with pytest.raises(TypeError, match=r"^str: must be a state of tic_tac_toe"):
        search_position(player(), ".../.../... X")
    with pytest.raises(TypeError, match="must be a state of tic_tac_toe"):
        search_position(player(), make("othello_6").init(jax.random.key(0)))
    several = jax.vmap(GAME.init)(jax.random.split(jax.random.key(0), 2))
    with pytest.raises(ValueError, match="a state of another size, or of several positions: must"):
        search_position(player(), several)
