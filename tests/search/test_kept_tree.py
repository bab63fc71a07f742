"""Trees kept between moves: against a slow search in plain Python, and where nothing is kept."""

import dataclasses
import functools
import itertools

import jax
import numpy as np
import pytest

from azjax.games import make
from azjax.search import PUCT, SearchPieces, rules_model

from .plain_puct import PlainPUCT
from .searching import (
    BATCH,
    EvaluationParams,
    evaluate,
    make_search,
    random_positions,
    search_game,
    step,
)

pytestmark = pytest.mark.slow

GAME, SIMULATIONS = make("tic_tac_toe"), 40
MODEL = rules_model(GAME, functools.partial(evaluate, GAME))
PARAMS = EvaluationParams(logits=np.zeros(9, np.float32), variation=0.9)


class PlainNode:
    """A position with the values that were backed up to it."""

    numbers = itertools.count()

    def __init__(self, tree, i, index, reward=0.0):
        self.number, self.values, self.children = next(self.numbers), [], {}
        self.prior = np.exp(tree.children_prior_logits[i, index])
        self.is_over = tree.embeddings.terminated[i, index]
        self.raw, self.reward = float(tree.raw_values[i, index]), reward

    def value_above(self):
        return self.reward if self.is_over else -np.mean(self.values)

    def select(self):
        visits, qvalues = np.zeros(9), np.zeros(9)
        for action, child in self.children.items():
            visits[action], qvalues[action] = len(child.values), child.value_above()
        scores = qvalues + self.prior * np.sqrt(visits.sum()) / (1 + visits)
        return int(np.where(self.prior > 0, scores, -np.inf).argmax())

    def keep(self, most):
        """Leaves out nodes below this one but for the first of them."""
        below = [self]
        for node in below:
            below += node.children.values()
        kept = sorted(below, key=lambda node: node.number)[:most]
        for node in below:
            node.children = {a: child for a, child in node.children.items() if child in kept}


def search_plainly(root, tree, i):
    """Makes the simulations of a search, of whose tree i the evaluations are."""
    for _ in range(SIMULATIONS + 1):
        path, index = [root], 0
        while path[-1].values and not path[-1].is_over:
            action, children = path[-1].select(), path[-1].children
            reward, index = (
                tree.children_rewards[i, index, action],
                tree.children_index[i, index, action],
            )
            if action not in children:
                children[action] = PlainNode(tree, i, index, reward)
            path.append(children[action])
        value = 0.0 if path[-1].is_over else path[-1].raw
        for node in reversed(path):
            node.values.append(value)
            value = node.reward if node.is_over else -value


def assert_same(node, tree, i, index=0):
    """Asserts that a plain node and those below it have the tree's visits and values."""
    visits = [len(node.children[a].values) if a in node.children else 0 for a in range(9)]
    np.testing.assert_array_equal(tree.children_visits[i, index], visits)
    assert tree.node_visits[i, index] == len(node.values)
    assert node.is_over or tree.node_values[i, index] == pytest.approx(
        np.mean(node.values), abs=1e-5
    )
    for action, child in node.children.items():
        assert_same(child, tree, i, tree.children_index[i, index, action])


@functools.cache
def compiled_search():
    return jax.jit(search_game(GAME))


def search_after(config, states, kept=None):
    """Returns the searches of positions after those that kept something, by default none."""
    keys = jax.random.split(jax.random.key(0), BATCH)
    if kept is None:
        kept = config.init_kept(MODEL, PARAMS, states)
    return jax.device_get(compiled_search()(config, PARAMS, keys, states, kept=kept))


def search_twice(config):
    """Returns searches, the most visited replies to their moves, and the searches after both."""
    states = random_positions("tic_tac_toe")
    first = search_after(config, states)
    child = first.tree.children_index[np.arange(BATCH), 0, first.action]
    replies = first.tree.children_visits[np.arange(BATCH), child].argmax(axis=1)
    later = step(GAME, step(GAME, states, first.action), replies)
    return first, replies, later, search_after(config, later, first.kept)


@pytest.mark.parametrize("kept_nodes", [3, 64])
def test_a_search_goes_on_with_the_tree_below_the_position(kept_nodes):
    config = PlainPUCT(num_simulations=SIMULATIONS, kept_nodes=kept_nodes)
    first, replies, later, second = search_twice(config)
    kept = 0
    for i in np.flatnonzero(~later.terminated):
        root = PlainNode(first.tree, i, 0)
        search_plainly(root, first.tree, i)
        root = root.children[first.action[i]].children.get(replies[i])
        if root is None:
            root = PlainNode(second.tree, i, 0)
        root.keep(kept_nodes)
        kept += len(root.values)
        search_plainly(root, second.tree, i)
        assert_same(root, second.tree, i)
    assert kept > 50


@pytest.mark.parametrize("leaves", [1, 4])
def test_a_position_that_no_tree_has_is_searched_as_without(leaves):
    config = PlainPUCT(num_simulations=SIMULATIONS, kept_nodes=64, leaves_at_once=leaves)
    states = random_positions("tic_tac_toe")
    deeper = jax.tree.map(lambda x: np.roll(x, BATCH // 2, axis=0), states)
    kept = search_after(config, states, search_after(config, deeper).kept)
    keys = jax.random.split(jax.random.key(0), BATCH)
    alone = jax.device_get(compiled_search()(config, PARAMS, keys, states))
    half = slice(BATCH // 2)
    np.testing.assert_array_equal(kept.action_weights[half], alone.action_weights[half])
    np.testing.assert_array_equal(kept.tree.node_visits[half, 0], SIMULATIONS + 1)


def test_pieces_go_on_with_the_tree_as_one_program_does():
    config = PlainPUCT(num_simulations=SIMULATIONS, kept_nodes=64)
    _, _, later, expected = search_twice(config)
    pieces, keys = SearchPieces(MODEL), jax.random.split(jax.random.key(0), BATCH)
    kept = pieces.init_kept(config, PARAMS, later)
    for states in (random_positions("tic_tac_toe"), later):
        searches = pieces.init(config, PARAMS, keys, states, kept)
        searches = pieces.run(config, PARAMS, searches, SIMULATIONS)
        found = jax.device_get(pieces.finish(config, searches))
        kept = config.keep(searches)
    np.testing.assert_array_equal(found.tree.node_visits, expected.tree.node_visits)
    np.testing.assert_allclose(found.action_weights, expected.action_weights, atol=1e-6)


def test_a_position_that_is_searched_again_keeps_its_prior_and_its_proofs():
    config = PUCT(num_simulations=200, proven_values=True, kept_nodes=2)
    states = random_positions("tic_tac_toe")
    first = search_after(config, states)
    again = search_after(dataclasses.replace(config, num_simulations=2), states, first.kept)
    np.testing.assert_allclose(again.prior_logits, first.prior_logits, atol=1e-6)
    proven = np.asarray(first.bounds.is_proven)
    assert proven.sum() > 3
    for before, after in zip(first.bounds, again.bounds, strict=True):
        np.testing.assert_array_equal(before[proven], after[proven])
    np.testing.assert_array_equal(again.value[proven], first.bounds.lower[proven])


def test_gumbel_halves_the_new_visits():
    """A root that is kept needs no evaluation, and has one simulation more."""
    config = make_search("gumbel", 16, kept_nodes=64, max_num_considered_actions=4)
    first, replies, later, second = search_twice(config)
    rows = np.arange(BATCH)
    child = first.tree.children_index[rows, 0, first.action]
    root = first.tree.children_index[rows, child, replies]
    rows = np.flatnonzero(~later.terminated & (first.tree.node_visits[rows, root] > 2) & (root > 0))
    new = second.tree.children_visits[rows, 0] - first.tree.children_visits[rows, root[rows]]
    assert len(rows) > 2
    np.testing.assert_array_equal(new.sum(axis=1), 17)
    assert ((new > 0).sum(axis=1) <= 4).all()
    np.testing.assert_array_equal(new[np.arange(len(rows)), second.action[rows]], new.max(axis=1))
