"""Proven results: bounds are those of exact play, and the search respects them."""

import functools
from typing import Any, NamedTuple

import jax
import numpy as np
import pytest

from azjax.evaluation import solve
from azjax.games import make
from azjax.search import Bounds, rules_model, unpack_bounds

from .moving_again import KEEP, PASS, Countdown
from .searching import BATCH, EvaluationParams, Searcher, evaluate, make_search, random_positions

SEARCHES = "gumbel", pytest.param("puct", marks=pytest.mark.slow)
NUM_SIMULATIONS = 96
PIECE = 8  # simulations, after which all nodes are recorded
MISLED = EvaluationParams(variation=0.9)  # pseudorandom values and priors


class Nodes(NamedTuple):
    """All nodes of B trees, after each of P pieces of a search."""

    visits: Any  # [P, B, N]
    children_visits: Any  # [P, B, N, A]
    bounds: Bounds  # [P, N, B]


class Proof(NamedTuple):
    """A search that proves results, and the bounds of all nodes of its trees."""

    states: Any  # [B, ...]
    result: Any  # SearchResult, in NumPy
    bounds: Bounds  # [N, B]
    pieces: Nodes
    num_nodes: int


def prove(algorithm):
    """Returns the proof of positions of tic-tac-toe."""
    game, states = make("tic_tac_toe"), random_positions("tic_tac_toe")
    search = make_search(algorithm, NUM_SIMULATIONS, proven_values=True)
    model = rules_model(game, functools.partial(evaluate, game))
    params = jax.tree.map(np.float32, MISLED)._replace(
        logits=np.zeros(game.num_actions, np.float32), only_at=np.uint32(0)
    )

    @jax.jit
    def find(params, states):
        keys = jax.random.split(jax.random.key(0), BATCH)

        def run_piece(state, _):
            state = search.run(model, params, state, PIECE)
            tree = search.finish(model, state).tree
            bounds = unpack_bounds(state.tree.bounds)
            return state, Nodes(tree.node_visits, tree.children_visits, bounds)

        state = search.init(model, params, keys, states)
        state, pieces = jax.lax.scan(run_piece, state, length=NUM_SIMULATIONS // PIECE)
        result = search.finish(model, state)
        return result._replace(tree=result.tree.replace(extra_data=None)), pieces

    result, pieces = jax.device_get(find(params, states))
    bounds = jax.tree.map(lambda x: x[-1], pieces.bounds)
    return Proof(states, result, bounds, pieces, NUM_SIMULATIONS + 1)


@functools.cache
def index_of_positions():
    """Returns the index of each position of tic-tac-toe in its solution, by board and player."""
    states = solve(make("tic_tac_toe")).states
    keys = map(key_of, states.board, states.current_player)
    return {key: index for index, key in enumerate(keys)}


def key_of(board, player):
    return board.tobytes(), int(player)


def solved(boards, players):
    """Returns the indices of some positions of tic-tac-toe in its solution."""
    index = index_of_positions()
    return [index[key_of(*x)] for x in zip(boards, players, strict=True)]


@pytest.fixture(scope="module", params=SEARCHES)
def proof(request):
    return prove(request.param)


def reached_nodes(proof):
    """Yields the row and the index of every node that is not the end of a game."""
    tree = proof.result.tree
    for i in range(BATCH):
        for node in range(proof.num_nodes):
            if tree.node_visits[i, node] and not tree.embeddings.terminated[i, node]:
                yield i, node


def test_bounds_hold_in_every_node(proof):
    states = proof.result.tree.embeddings
    trees, nodes = np.array(list(reached_nodes(proof))).T
    indices = solved(states.board[trees, nodes], states.current_player[trees, nodes])
    value = solve(make("tic_tac_toe")).value[indices]
    lower, upper = proof.bounds.lower[nodes, trees], proof.bounds.upper[nodes, trees]
    assert ((lower <= value) & (value <= upper)).all()
    assert (lower == upper).sum() > 50


def test_values_lie_within_bounds_and_are_exact_where_proven(proof):
    tree = proof.result.tree
    for i, node in reached_nodes(proof):
        lower, upper = proof.bounds.lower[node, i], proof.bounds.upper[node, i]
        assert lower <= tree.node_values[i, node] <= upper
    result = proof.result
    np.testing.assert_array_equal(result.bounds.lower, proof.bounds.lower[0])
    np.testing.assert_array_equal(result.bounds.upper, proof.bounds.upper[0])
    is_proven = result.bounds.lower == result.bounds.upper
    assert 5 <= is_proven.sum() < BATCH  # those of few empty cells
    np.testing.assert_array_equal(result.value[is_proven], result.bounds.lower[is_proven])


def test_in_a_proven_position_only_the_best_moves_have_weight_and_are_played(proof):
    result, states = proof.result, proof.states
    indices = solved(states.board, states.current_player)
    action_values = solve(make("tic_tac_toe")).action_values[indices]
    is_best = action_values == action_values.max(axis=1, keepdims=True)
    is_proven = result.bounds.lower == result.bounds.upper
    assert (result.action_weights[is_proven][~is_best[is_proven]] == 0).all()
    assert is_best[np.arange(BATCH), result.action][is_proven].all()
    np.testing.assert_allclose(result.action_weights.sum(axis=1), 1, rtol=1e-5)


def test_no_simulation_goes_on_below_a_proven_node(proof):
    """A node's visits end with the one that proves it; only the root's children get more."""
    visits, children_visits, bounds = proof.pieces
    is_proven = (bounds.lower == bounds.upper).swapaxes(1, 2) & (visits > 0)
    is_proven[:, :, 0] = False  # a root is searched on
    pieces, trees, nodes = np.nonzero(is_proven[:-1])
    np.testing.assert_array_equal(
        children_visits[pieces, trees, nodes], children_visits[-1, trees, nodes]
    )
    is_deeper = proof.result.tree.parents[trees, nodes] != 0
    pieces, trees, nodes = pieces[is_deeper], trees[is_deeper], nodes[is_deeper]
    np.testing.assert_array_equal(visits[pieces, trees, nodes], visits[-1, trees, nodes])
    assert is_proven[-2].sum() > 50
    assert is_proven[-2, proof.result.tree.parents > 0].sum() > 30


def test_a_game_in_which_the_mover_moves_again_is_proven_with_the_right_signs():
    find = Searcher(Countdown(), make_search("gumbel", 64, proven_values=True))
    start = jax.tree.map(np.asarray, find.game.init(None))
    states = jax.tree.map(lambda x: np.resize(x, (BATCH, *x.shape)), start)
    result = find(states._replace(left=np.resize(np.int32([1, 2, 3, 4]), BATCH)))
    assert (result.bounds.lower == 1).all()  # who keeps the turn wins
    assert (result.value == 1).all()
    longer = np.arange(BATCH) % 4 > 0
    assert (result.action[longer] == KEEP).all()
    assert (result.action_weights[longer][:, PASS] == 0).all()
