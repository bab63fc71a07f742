import jax
import numpy as np
import pytest
from trees import assert_same

from azjax import search
from azjax.evaluation import (
    SearchAgent,
    accuracy,
    choose_actions,
    in_match,
    mcts_player,
    network_player,
    optimal_player,
    random_player,
    search_player,
)
from azjax.evaluation.players.host_players import Turns
from azjax.evaluation.players.player import _shard
from azjax.games import batch_of_one
from azjax.networks import MLPConfig, make_network
from azjax.support.component import get_component

MIXTURE = pytest.param("mixture", marks=pytest.mark.slow)
NAMES = ["random", "minimax", "network", "gumbel", "mcts", MIXTURE]


@pytest.fixture(scope="module")
def players(tic_tac_toe, network):
    game, (made, variables) = tic_tac_toe, network
    mixture = SearchAgent(game, made, search.PUCT(num_simulations=4))
    gumbel = SearchAgent(game, made, search.Gumbel(num_simulations=4))
    return {
        "gumbel": search_player(gumbel, variables),
        "random": random_player(game),
        "minimax": optimal_player(game),
        "network": network_player(game, *network),
        "mixture": search_player(mixture, variables, rollout_weight=0.5),
        "mcts": mcts_player(game, search.UCT(num_simulations=4)),
    }


@pytest.fixture(scope="module")
def uneven(network):
    """Returns a network no two of whose logits are equal: only ties are broken by the key."""
    made, variables = network
    leaves, structure = jax.tree.flatten(variables)
    rng = np.random.default_rng(1)
    noisy = [x + np.float32(0.1 * rng.normal(size=x.shape)) for x in leaves]
    return made, structure.unflatten(noisy)


@pytest.mark.parametrize("name", NAMES)
def test_every_player_moves_legally_in_every_unfinished_position(players, moves_of, legal, name):
    assert legal[np.arange(4520), moves_of(players[name], seed=1)].all()


@pytest.mark.parametrize("name", ["network", "gumbel"])
def test_moves_of_the_network_do_not_depend_on_the_key(tic_tac_toe, uneven, moves_of, name):
    if name == "network":
        player = network_player(tic_tac_toe, *uneven)
    else:
        agent = SearchAgent(
            tic_tac_toe, uneven[0], get_component("search", name)(num_simulations=4)
        )
        player = search_player(agent, uneven[1])
    once, again = (moves_of(player, seed) for seed in (0, 1))
    assert once.tolist() == again.tolist()


@pytest.mark.parametrize("name", ["random", "mcts"])
def test_moves_of_a_random_player_depend_on_the_key_only(players, moves_of, name):
    once, same, other = (moves_of(players[name], seed) for seed in (0, 0, 1))
    assert once.tolist() == same.tolist()
    assert (once != other).any()


def test_a_search_by_rollouts_or_of_sampled_actions_is_random(tic_tac_toe, network):
    def is_random(config, made=network[0]):
        return SearchAgent(tic_tac_toe, made, config).is_random

    without_value = make_network(MLPConfig(value_head="none"), (3, 3, 2), 9)
    assert not is_random(search.PUCT())
    assert is_random(search.PUCT(sampled_actions=2))
    assert is_random(search.PUCT(), without_value)
    assert not is_random(search.Policy(), without_value)


def test_the_search_player_ignores_the_noise_of_its_search(tic_tac_toe, network, players, moves_of):
    noisy = search.Gumbel(num_simulations=4, gumbel_scale=100.0)
    player = search_player(SearchAgent(tic_tac_toe, network[0], noisy), network[1])
    assert moves_of(player).tolist() == moves_of(players["gumbel"]).tolist()


def test_players_that_differ_in_variables_share_one_program(tic_tac_toe, network, moves_of):
    made, variables = network
    shifted = jax.tree.map(lambda x: 2 * x + 1, variables)
    configs = (search.Gumbel(num_simulations=4, value_scale=scale) for scale in (0.1, 0.5))
    agents = (SearchAgent(tic_tac_toe, made, config) for config in configs)
    one, other = map(search_player, agents, (variables, shifted))
    moves_of(one)
    num_programs = _shard(one.act, 1)._cache_size()
    moves_of(other)
    assert one.act == other.act
    assert _shard(other.act, 1)._cache_size() == num_programs


def test_the_network_player_plays_the_network_s_best_legal_move(
    tic_tac_toe, network, positions, legal, players, moves_of
):
    made, variables = network
    observations = jax.jit(jax.vmap(tic_tac_toe.observe))(positions.states)
    logits = np.asarray(jax.jit(made.apply)(variables, observations)[0])
    expected = np.where(legal, logits, -np.inf).argmax(axis=1)
    assert (moves_of(players["network"]) == expected).mean() > 0.999  # up to rounding


def test_minimax_always_keeps_the_best_value(players, moves_of, positions):
    assert accuracy(positions, moves_of(players["minimax"], seed=2)) == 1.0


@pytest.mark.parametrize(("name", "row"), [("random", 7), ("minimax", 1)])
def test_random_and_minimax_sample_evenly_from_their_moves(players, positions, legal, name, row):
    count = 4520
    states = jax.tree.map(lambda x: np.repeat(x[row : row + 1], count, axis=0), positions.states)
    keys = jax.random.split(jax.random.key(3), count)
    actions = choose_actions(players[name], states, keys)
    may = positions.is_best[row] if name == "minimax" else legal[row]
    counts = np.bincount(actions, minlength=9)
    assert (counts[~may] == 0).all()
    expected = count / may.sum()
    assert (np.abs(counts[may] - expected) < 5 * np.sqrt(expected)).all()


@pytest.mark.slow
def test_a_tree_is_kept_from_the_last_move_of_its_own(tic_tac_toe):
    """A position that was searched while the opponent was to move gives no simulations."""
    player = mcts_player(tic_tac_toe, search.UCT(num_simulations=200, kept_nodes=90))
    states = [tic_tac_toe.init(jax.random.key(0))]
    for action in (4, 0):
        states.append(jax.jit(tic_tac_toe.step)(states[-1], action))

    def last_tree(*plies):
        match = in_match(player)
        for ply in plies:
            key, is_turn = jax.random.key(ply)[None], np.array([ply != 1])
            match.choose(Turns(batch_of_one(states[ply]), key, is_turn, np.array([0]), [[]]))
        return match._turns[-1][1]

    kept = last_tree(0, 2)
    assert kept.edge[0, 0, 0] > 201  # visits of the root
    assert_same(kept, last_tree(0, 1, 2))
