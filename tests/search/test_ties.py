"""Ties between actions are broken by value, then by prior, then by noise, never by index."""

import os
import subprocess
import sys

import jax.numpy as jnp
import numpy as np
import pytest

from azjax.search.search import best_action

from .searching import (
    BATCH,
    EvaluationParams,
    edge_qvalues,
    legal_actions,
    narrow_searcher,
    positions,
    random_positions,
    searcher,
)


@pytest.fixture(scope="module", params=["puct", "uct"])
def short_search(request):
    return searcher("tic_tac_toe", request.param, 2)


def test_an_excluded_action_never_wins_by_a_later_score():
    assert best_action(jnp.array([-jnp.inf, 0.0]), jnp.array([9.0, 1.0])) == 1


def test_of_the_most_visited_the_one_of_highest_value_is_played(short_search):
    """With two simulations the root has two children of one visit, or one of two."""
    states = random_positions("tic_tac_toe")
    result = short_search(states, EvaluationParams(variation=0.5))
    visits, qvalues = result.tree.children_visits[:, 0], edge_qvalues(result.tree)[:, 0]
    most_visited = visits == visits.max(axis=1, keepdims=True)
    assert (most_visited.sum(axis=1) > 1).sum() > len(visits) // 4, "too few ties to test"
    expected = np.where(most_visited, qvalues, -np.inf).argmax(axis=1)
    np.testing.assert_array_equal(result.action, expected)


def test_of_equal_values_the_one_of_highest_prior_is_played():
    find = searcher("tic_tac_toe", "puct", 2)
    rising = EvaluationParams(logits=np.linspace(0.0, 0.1, 9))
    states = random_positions("tic_tac_toe")
    result = find(states, rising, c_puct=50.0)
    visits, qvalues = result.tree.children_visits[:, 0], edge_qvalues(result.tree)[:, 0]
    ties = (visits == visits.max(axis=1, keepdims=True)) & (qvalues == 0)
    is_tied = ties.sum(axis=1) > 1
    assert is_tied.sum() > len(visits) // 2
    last = visits.shape[1] - 1 - ties[:, ::-1].argmax(axis=1)  # the prior rises with the index
    np.testing.assert_array_equal(result.action[is_tied], last[is_tied])


@pytest.mark.parametrize("algorithm", ["puct", "uct", "policy"])
def test_of_equal_priors_no_index_is_preferred(algorithm):
    find = searcher("tic_tac_toe", algorithm, 2)
    states = positions(find.game, *["X../.O./... X"] * BATCH)
    actions = find(states, gumbel_scale=0.0).action
    assert len(set(actions.tolist())) > BATCH // 4
    assert legal_actions(find.game, states)[np.arange(BATCH), actions].all()


def test_of_equal_priors_no_index_is_preferred_by_gumbel_and_within_the_tree():
    find = narrow_searcher()
    states = positions(find.game, *["X../.O./... X"] * BATCH)
    result = find(states, gumbel_scale=0.0)
    assert len(set(result.action.tolist())) > BATCH // 4
    tree = result.tree
    first = (tree.parents > 0).argmax(axis=1)  # the first node below an action of the root
    actions = tree.action_from_parent[np.arange(BATCH), first]
    assert len(set(actions.tolist())) > BATCH // 4


# A search of its own process: the flags of tests change how XLA fuses what it computes.
SEARCH_ONE = """
import jax, numpy as np
from azjax.games import make
from azjax.networks import MLPConfig, make_network
from azjax.search import PUCT, UCT, PolicyRollouts, network_model, search

game = make("tic_tac_toe")
network = make_network(MLPConfig(channels=16, blocks=1), game.observation_shape, game.num_actions)
position = game.parse_state("X.O/.X./..O X")
legal = np.asarray(game.legal_action_mask(position))
variables = jax.jit(network.init)(jax.random.key(0))
for kind in (PUCT, UCT, PolicyRollouts):
    result = jax.jit(search, static_argnums=0)(
        network_model(game, network),
        kind(num_simulations=24).without_noise(),
        variables,
        jax.random.split(jax.random.key(0), 1),
        jax.tree.map(lambda x: np.asarray(x)[None], position),
    )
    print(int(np.asarray(result.tree.children_visits[0, 0])[~legal].sum()))
"""


@pytest.mark.slow
def test_one_position_is_searched_by_legal_moves_alone():
    """A compiled search of a batch of one may compute a score twice, and round it differently."""
    environment = {name: value for name, value in os.environ.items() if name != "XLA_FLAGS"}
    done = subprocess.run(
        [sys.executable, "-c", SEARCH_ONE], env=environment, capture_output=True, check=True
    )
    assert done.stdout.split() == [b"0", b"0", b"0"]
