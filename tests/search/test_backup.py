"""Searches that back up values by a rule of their own, and store statistics at their nodes."""

import dataclasses
from typing import Annotated

import jax.numpy as jnp
import numpy as np

from azjax.games import make
from azjax.search import ROOT, UCT, PolicyRollouts
from azjax.support.ranges import Range

from .searching import EvaluationParams, Searcher, random_positions, searcher

GAME = make("tic_tac_toe")
SIMULATIONS = 48
WEIGHT = 0.4
VARIED = EvaluationParams(variation=0.8)


@dataclasses.dataclass(frozen=True)
class PowerMean(PolicyRollouts):
    """Backs up the power mean of the children's Q-values and of the node's own evaluation.

    "Generalized Mean Estimation in Monte-Carlo Tree Search", Dam et al. 2019. At every node it
    stores the highest value that a simulation found.
    """

    exponent: Annotated[float, Range(1.0, 8.0)] = 2.0

    def init_statistics(self, evaluation):
        return {"best": evaluation.value}

    def back_up(self, node, value):
        values = jnp.append(node.qvalues(ROOT), node.raw_values[ROOT])
        weights = jnp.append(node.children_visits[ROOT], 1)
        powers = jnp.clip((1 + values) / 2, 0, 1) ** self.exponent
        mean = jnp.average(powers, weights=weights) ** (1 / self.exponent)
        return 2 * mean - 1, {"best": jnp.maximum(node.statistics["best"][ROOT], value)}


def search_plainly(tree, i, exponent):
    """Repeats the search of one position in plain Python, with the raw values of the tree's nodes.

    Returns:
      The visits [N, A], the values [N] and the highest values [N].
    """
    children, raw = tree.children_index[i], tree.raw_values[i].astype(float)
    logits, is_over = tree.children_prior_logits[i].astype(float), tree.embeddings.terminated[i]
    prior = np.exp(logits) / np.maximum(np.exp(logits).sum(axis=1, keepdims=True), 1e-9)
    visits, values, best = np.zeros(children.shape, int), raw.copy(), raw.copy()

    def qvalues(node):
        own = np.where(is_over[children[node]], tree.children_rewards[i, node], 0)
        below = np.where(is_over[children[node]], own, -values[children[node]])
        return np.where(visits[node] > 0, below, 0.0)

    for _ in range(SIMULATIONS):
        node, path, is_new = 0, [], False
        while not (is_new or is_over[node]):
            score = WEIGHT * prior[node] / (1 + visits[node]) + (1 - WEIGHT) * qvalues(node)
            action = np.where(logits[node] > -1e8, score, -np.inf).argmax()
            path.append((node, action))
            is_new = visits[node, action] == 0
            node = children[node, action]
            assert node > 0, "the tree lacks a node"
        value = raw[node]
        for parent, action in reversed(path):
            child = children[parent, action]
            value = tree.children_rewards[i, parent, action] if is_over[child] else -value
            visits[parent, action] += 1
            powers = ((1 + np.append(qvalues(parent), raw[parent])) / 2) ** exponent
            weights = np.append(visits[parent], 1)
            values[parent] = 2 * np.average(powers, weights=weights) ** (1 / exponent) - 1
            best[parent] = max(best[parent], value)
    return visits, values, best


def test_a_power_mean_is_backed_up_as_by_a_plain_search():
    exponent, find = 3.0, Searcher(GAME, PowerMean(num_simulations=SIMULATIONS))
    states = random_positions("tic_tac_toe")
    tree = find(states, VARIED, exponent=exponent, prior_weight=WEIGHT).tree
    for i in (0, 4, 8):
        visits, values, best = search_plainly(tree, i, exponent)
        np.testing.assert_array_equal(tree.children_visits[i], visits)
        is_reached = tree.node_visits[i] > 0
        assert is_reached.sum() > 5
        np.testing.assert_allclose(tree.node_values[i][is_reached], values[is_reached], atol=1e-5)
        found = tree.statistics["best"][i][is_reached]
        np.testing.assert_allclose(found, best[is_reached], atol=1e-5)


@dataclasses.dataclass(frozen=True)
class CountingUCT(UCT):
    """UCT by its own counts of visits."""

    def init_statistics(self, evaluation):
        return jnp.zeros_like(evaluation.value, jnp.int32)

    def back_up(self, node, value):
        mean, count = super().back_up(node, value)
        return mean, count + 1

    def select_at_interior(self, node, index):
        counted = node.replace(children_visits=node.children_statistics)
        return super().select_at_interior(counted, index)


def test_rules_of_selection_read_statistics_that_every_visit_updates():
    uct, states = searcher("tic_tac_toe", "uct"), random_positions("tic_tac_toe")
    counting = Searcher(GAME, CountingUCT(num_simulations=uct.num_simulations))
    own, other = (find(states, VARIED) for find in (counting, uct))
    for field in ("children_index", "children_visits", "node_visits"):
        np.testing.assert_array_equal(getattr(own.tree, field), getattr(other.tree, field))
    np.testing.assert_allclose(own.tree.node_values, other.tree.node_values, atol=1e-6)
    np.testing.assert_array_equal(own.tree.statistics, own.tree.node_visits)
    assert other.tree.statistics is None
