"""Trees of a search contain legal play only, with the rules' rewards and mean values."""

import jax
import numpy as np
import pytest
from trees import assert_same

from .searching import EvaluationParams, legal_actions, random_positions, states_at, step, walk

ADVERSARY = EvaluationParams(variation=0.9, illegal_bonus=1000.0)


@pytest.fixture(scope="module")
def game(find):
    return find.game


@pytest.fixture(scope="module")
def states(game):
    return random_positions(game.name)


@pytest.fixture(scope="module")
def tree(find, states):
    """Returns trees under noise, with an evaluation that prefers illegal actions."""
    return find(states, ADVERSARY, gumbel_scale=1.0, dirichlet_fraction=0.25).tree


@pytest.fixture(scope="module")
def edges(tree):
    return walk(tree)


def test_no_illegal_action_is_expanded_anywhere(game, tree, edges):
    parents = states_at(tree, edges.tree, edges.parent)
    legal = legal_actions(game, parents)
    assert len(edges.tree) > 500
    assert legal[np.arange(len(edges.action)), edges.action].all()
    visits = tree.children_visits[edges.tree, edges.parent]
    assert (visits[~legal] == 0).all()
    roots = states_at(tree, slice(None), 0)
    assert (tree.children_visits[:, 0][~legal_actions(game, roots)] == 0).all()


def test_no_illegal_action_is_expanded_where_only_values_count(find, game, states):
    greedy = {"c_puct": 0.0, "c_puct_base": 1e12, "value_scale": 10.0, "maxvisit_init": 1000.0}
    tree = find(states, ADVERSARY, **greedy).tree
    edges = walk(tree)
    legal = legal_actions(game, states_at(tree, edges.tree, edges.parent))
    assert legal[np.arange(len(edges.action)), edges.action].all()


def test_a_finished_position_has_no_children(tree, edges):
    children = states_at(tree, edges.tree, edges.child)
    assert children.terminated.sum() > 50
    below = tree.children_index[edges.tree, edges.child]
    assert (below[children.terminated] == tree.UNVISITED).all()
    assert not states_at(tree, edges.tree, edges.parent).terminated.any()


def test_every_node_holds_the_position_after_its_action(game, states, tree, edges):
    assert_same(jax.tree.map(lambda x: x[:, 0], tree.embeddings), states)
    parents = states_at(tree, edges.tree, edges.parent)
    assert_same(states_at(tree, edges.tree, edges.child), step(game, parents, edges.action))


def test_every_simulation_visits_the_root_and_adds_a_node_or_ends_in_a_finished_one(
    find, tree, edges
):
    assert (tree.children_visits[:, 0].sum(axis=1) == find.num_simulations).all()
    visits = tree.node_visits[edges.tree, edges.child]
    np.testing.assert_array_equal(
        visits, tree.children_visits[edges.tree, edges.parent, edges.action]
    )
    # A simulation that adds no node visits a finished position again.
    finished = states_at(tree, edges.tree, edges.child).terminated
    repeated = np.bincount(edges.tree, np.where(finished, visits - 1, 0), len(tree.parents))
    nodes = np.bincount(edges.tree, minlength=len(tree.parents))
    assert (nodes + repeated == find.num_simulations).all()


def test_rewards_and_discounts_are_those_of_the_rules(tree, edges):
    parents = states_at(tree, edges.tree, edges.parent)
    children = states_at(tree, edges.tree, edges.child)
    edge = edges.tree, edges.parent, edges.action
    mover = parents.current_player.astype(int)
    reward = children.rewards[np.arange(len(mover)), mover]
    np.testing.assert_array_equal(tree.children_rewards[edge], reward)
    np.testing.assert_array_equal(
        tree.children_discounts[edge], np.where(children.terminated, 0.0, -1.0)
    )
    assert (reward == 1).any()


def test_every_value_is_the_mean_of_its_subtree_from_the_mover_s_view(tree, edges):
    visits = tree.children_visits
    totals = tree.raw_values.astype(float)
    counts = np.ones_like(totals)
    # A node's index is greater than its parent's, so that children come before parents.
    for i, parent, action, child in sorted(zip(*edges, strict=True), key=lambda edge: -edge[3]):
        finished = tree.embeddings.terminated[i, child]
        mover = int(tree.embeddings.current_player[i, parent])
        value = totals[i, child] / counts[i, child]
        found = tree.embeddings.rewards[i, child, mover] if finished else -value
        totals[i, parent] += visits[i, parent, action] * found
        counts[i, parent] += visits[i, parent, action]
    reached = edges.tree, edges.child
    unfinished = ~tree.embeddings.terminated[reached]
    np.testing.assert_allclose(
        tree.node_values[reached][unfinished], (totals / counts)[reached][unfinished], atol=2e-5
    )
    np.testing.assert_allclose(tree.node_values[:, 0], (totals / counts)[:, 0], atol=2e-5)
    assert (tree.node_values[reached][~unfinished] == 0).all()
    assert (tree.raw_values[reached][~unfinished] == 0).all()


def test_priors_inside_the_tree_are_without_noise(find, states):
    tree = find(states, gumbel_scale=1.0, dirichlet_fraction=1.0).tree
    edges = walk(tree)
    legal = legal_actions(find.game, states_at(tree, edges.tree, edges.child))
    priors = tree.children_prior_logits[edges.tree, edges.child]
    assert (priors[legal] == 0).all()  # uniform, as evaluated
    assert (priors[~legal] < -1e8).all()
