import jax
import jax.numpy as jnp
import numpy as np
import pytest

from azjax import games
from azjax.evaluation import (
    minimax_player,
    network_player,
    random_player,
    search_player,
    share_correct,
)
from azjax.search import SearchConfig, SearchHyperparameters


def make_players(game, network):
    made, variables = network
    return {
        "random": random_player(game),
        "minimax": minimax_player(game),
        "network": network_player(game, made, variables),
        "gumbel": search_player(game, made, variables, SearchConfig("gumbel", 4)),
        "puct": search_player(game, made, variables, SearchConfig("puct", 4)),
    }


@pytest.fixture(scope="module")
def players(tic_tac_toe, network):
    return make_players(tic_tac_toe, network)


NAMES = ["random", "minimax", "network", "gumbel", "puct"]


@pytest.fixture(scope="module")
def act(players):
    """Returns `act(name, keys, states)`, each player's compiled once."""
    jitted = {name: jax.jit(player.act) for name, player in players.items()}
    return lambda name, *arguments: np.asarray(jitted[name](players[name].parameters, *arguments))


@pytest.mark.parametrize("name", NAMES)
def test_every_player_moves_legally_in_every_unfinished_position(act, truth, name):
    keys = jax.random.split(jax.random.key(1), 4520)
    actions = act(name, keys, truth.states)
    assert (truth.action_values[np.arange(4520), actions] >= -1).all()


@pytest.mark.parametrize("name", ["network", "gumbel", "puct"])
def test_what_the_network_plays_does_not_depend_on_the_key(act, truth, name):
    once, again = (
        act(name, jax.random.split(jax.random.key(seed), 4520), truth.states) for seed in (0, 1)
    )
    assert once.tolist() == again.tolist()


@pytest.mark.parametrize("algorithm", ["gumbel", "puct"])
def test_the_search_player_is_quiet_whatever_noise_it_is_given(
    tic_tac_toe, network, truth, act, algorithm
):
    noisy = SearchHyperparameters(gumbel_scale=100.0, dirichlet_fraction=1.0)
    player = search_player(tic_tac_toe, *network, SearchConfig(algorithm, 4), noisy)
    keys = jax.random.split(jax.random.key(4), 4520)
    actions = jax.jit(player.act)(player.parameters, keys, truth.states)
    assert actions.tolist() == act(algorithm, keys, truth.states).tolist()


def test_the_network_player_plays_the_network_s_best_legal_move(tic_tac_toe, network, truth, act):
    made, variables = network
    observations = jax.vmap(tic_tac_toe.observe)(jax.tree.map(jnp.asarray, truth.states))
    logits = np.asarray(made.apply(variables, observations)[0])
    legal = truth.action_values >= -1
    expected = np.where(legal, logits, -np.inf).argmax(axis=1)
    keys = jax.random.split(jax.random.key(0), 4520)
    assert (act("network", keys, truth.states) == expected).mean() > 0.999  # but for rounding


def test_minimax_always_keeps_the_best_value(act, truth):
    keys = jax.random.split(jax.random.key(2), 4520)
    assert share_correct(truth, act("minimax", keys, truth.states)) == 1.0


@pytest.mark.parametrize(("name", "row"), [("random", 0), ("random", 7), ("minimax", 1)])
def test_random_and_minimax_draw_evenly_from_what_they_may_play(act, truth, name, row):
    draws = 4520
    states = jax.tree.map(lambda x: np.repeat(x[row : row + 1], draws, axis=0), truth.states)
    actions = act(name, jax.random.split(jax.random.key(3), draws), states)
    may = truth.is_best[row] if name == "minimax" else truth.action_values[row] >= -1
    counts = np.bincount(actions, minlength=9)
    assert (counts[~may] == 0).all()
    expected = draws / may.sum()
    assert (np.abs(counts[may] - expected) < 5 * np.sqrt(expected)).all()


def test_minimax_refuses_a_game_too_large_to_solve():
    with pytest.raises(ValueError, match="connect_four is too large to be solved"):
        minimax_player(games.make("connect_four"))
