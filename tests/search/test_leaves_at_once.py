"""Several leaves at once: against a slow search in plain Python, and where nothing changes."""

import dataclasses

import numpy as np
import pytest

from azjax.games import make
from azjax.search.gumbel import make_schedules

from .plain_puct import PlainPUCT
from .searching import EvaluationParams, Searcher, narrow_searcher, random_positions

PARAMS = EvaluationParams(variation=0.9)
SIMULATIONS, LEAVES = 41, 4
GAME = make("tic_tac_toe")


class PlainSearch:
    """Repeats the search of tree i, with the raw values and priors of its nodes."""

    def __init__(self, tree, i):
        self.tree, self.i, self.children = tree, i, tree.children_index[i]
        self.logits, self.raw = tree.children_prior_logits[i], tree.raw_values[i].astype(float)
        self.over = tree.embeddings.terminated[i]
        self.visits = np.zeros(self.children.shape, int)
        self.values = {0: [self.raw[0]]}  # of the nodes that are evaluated
        for done in range(0, SIMULATIONS, LEAVES):
            paths = [self.select() for _ in range(min(LEAVES, SIMULATIONS - done))]
            for path in paths:
                self.back_up(path)

    def qvalue(self, node, action):
        child = self.children[node, action]
        if not self.visits[node, action]:
            return 0
        if self.over[child] and child in self.values:
            return self.tree.children_rewards[self.i, node, action]
        return -np.mean(self.values[child]) if child in self.values else np.mean(self.values[node])

    def select(self):
        """Returns a path, which counts as a visit of its edges from now on."""
        node, path = 0, []
        while node in self.values and not self.over[node]:
            prior = np.exp(self.logits[node] - self.logits[node].max())
            values = np.array([self.qvalue(node, action) for action in range(9)])
            bonus = prior * np.sqrt(self.visits[node].sum()) / (1 + self.visits[node])
            action = np.where(prior > 0, values + bonus, -np.inf).argmax()
            path.append((node, action))
            node = self.children[node, action]
        for edge in path:
            self.visits[edge] += 1
        return path

    def back_up(self, path):
        node = self.children[path[-1]]
        value = 0 if self.over[node] else self.raw[node]
        self.values.setdefault(node, []).append(value)
        for parent, action in reversed(path):
            is_over = self.over[self.children[parent, action]]
            value = self.tree.children_rewards[self.i, parent, action] if is_over else -value
            self.values[parent].append(value)


@pytest.mark.slow
def test_leaves_are_selected_as_if_those_before_were_visited():
    config = PlainPUCT(num_simulations=SIMULATIONS, leaves_at_once=LEAVES)
    tree = Searcher(GAME, config)(random_positions("tic_tac_toe"), PARAMS).tree
    for i in (0, 4, 8):
        plain = PlainSearch(tree, i)
        np.testing.assert_array_equal(plain.visits, tree.children_visits[i])
        assert tree.node_values[i, 0] == pytest.approx(np.mean(plain.values[0]), abs=1e-5)


@pytest.mark.slow
def test_two_candidates_of_a_round_are_evaluated_together_without_a_change():
    """Positions have no values here, by which later candidates could be ranked otherwise."""
    states, params = random_positions("tic_tac_toe"), EvaluationParams(np.linspace(-1, 1, 9))
    find = narrow_searcher()
    one = find(states, params)
    two = Searcher(GAME, dataclasses.replace(find.config, leaves_at_once=2))(states, params)
    np.testing.assert_array_equal(one.tree.children_visits[:, 0], two.tree.children_visits[:, 0])
    np.testing.assert_array_equal(one.action, two.action)
    np.testing.assert_allclose(one.action_weights, two.action_weights, atol=1e-5)
    np.testing.assert_allclose(one.value, two.value, atol=1e-5)


def test_no_simulation_selects_among_halved_candidates_before_all_values():
    left = make_schedules(7, 64).simulations_left
    np.testing.assert_array_equal(left[7], [*range(21, 0, -1)] * 2 + [*range(20, 0, -1), 2, 1])
