"""The strong PUCT against a slow search in plain Python, and its noise."""

import functools

import jax
import numpy as np
import pytest

from azjax.games import make
from azjax.search import ILLEGAL_LOGIT, StrongPUCT

from .searching import EvaluationParams, Searcher, random_positions

PARAMS = EvaluationParams(variation=0.9, illegal_bonus=50.0)
SIMULATIONS = 64
NUMBERS = {
    "c_puct": 1.5,
    "c_puct_log": 2.0,
    "c_puct_base": 20.0,
    "fpu_reduction": 0.3,
    "root_fpu_reduction": 0.15,
}


def softmax(logits):
    weights = np.exp(logits - logits.max())
    return weights / weights.sum()


class PlainSearch:
    """Repeats the search of tree i, with the raw values and priors of its nodes."""

    def __init__(self, tree, i, forced_playouts):
        self.tree, self.i, self.forced_playouts = tree, i, forced_playouts
        self.children = tree.children_index[i]
        self.logits = tree.children_prior_logits[i].astype(float)
        self.values = [[value] for value in tree.raw_values[i].astype(float)]
        self.visits = np.zeros(self.children.shape, int)
        self.qvalues = np.zeros(self.children.shape)
        for _ in range(SIMULATIONS):
            self.simulate()

    def scores(self, node):
        prior, visits, total = (
            softmax(self.logits[node]),
            self.visits[node],
            self.visits[node].sum(),
        )
        weight = NUMBERS["c_puct"] + NUMBERS["c_puct_log"] * np.log(1 + total / 20)
        reduction = NUMBERS["fpu_reduction" if node else "root_fpu_reduction"]
        urgency = np.mean(self.values[node]) - reduction * np.sqrt(prior[visits > 0].sum())
        bonus = weight * prior * np.sqrt(total + 0.01) / (1 + visits)
        return np.where(visits > 0, self.qvalues[node], urgency) + bonus

    def select(self, node):
        scores = self.scores(node)
        if node == 0:
            lacks = (self.visits[0] > 0) & (self.visits[0] < self.forced())
            scores = np.where(lacks, 1e6 + scores, scores)
        return np.where(self.logits[node] > ILLEGAL_LOGIT / 2, scores, -np.inf).argmax()

    def forced(self):
        return np.sqrt(self.forced_playouts * softmax(self.logits[0]) * self.visits[0].sum())

    def simulate(self):
        node, path = 0, []
        over = self.tree.embeddings.terminated[self.i]
        while True:
            action = self.select(node)
            path.append((node, action))
            is_new, node = not self.visits[node, action], self.children[node, action]
            if is_new or over[node]:
                break
        value = self.values[node][0]
        for parent, action in reversed(path):
            child = self.children[parent, action]
            value = self.tree.children_rewards[self.i, parent, action] if over[child] else -value
            self.values[parent].append(value)
            self.visits[parent, action] += 1
            self.qvalues[parent, action] = value if over[child] else -np.mean(self.values[child])

    def pruned(self):
        """Takes forced visits one by one, as long as the score stays below that of the best."""
        visits, best = self.visits[0].copy(), self.visits[0].argmax()
        highest, forced = self.scores(0)[best], self.forced()
        bonus = (self.scores(0) - self.qvalues[0]) * (1 + visits)
        for action in np.flatnonzero(visits):
            for _ in range(int(forced[action])):
                score = self.qvalues[0, action] + bonus[action] / visits[action]
                if action != best and score < highest:
                    visits[action] -= 1
            if action != best and visits[action] <= 1:
                visits[action] = 0
        return visits


@functools.cache
def strong_searcher():
    config = StrongPUCT(num_simulations=SIMULATIONS).without_noise()
    return Searcher(make("tic_tac_toe"), config)


@pytest.mark.parametrize("forced_playouts", [0.0, 2.0])
def test_it_visits_what_a_plain_search_visits(forced_playouts):
    states = random_positions("tic_tac_toe")
    result = strong_searcher()(states, PARAMS, forced_playouts=forced_playouts, **NUMBERS)
    for i in (0, 4, 8):
        plain = PlainSearch(result.tree, i, forced_playouts)
        visits = plain.visits[0]
        np.testing.assert_array_equal(result.tree.children_visits[i, 0], visits)
        error = np.sqrt((1 - np.clip(plain.qvalues[0] ** 2, 0, 1)) / np.maximum(visits, 1))
        bound = np.where(visits >= 0.15 * visits.max(), plain.qvalues[0] - 5 * error, -np.inf)
        assert bound[result.action[i]] == pytest.approx(bound.max(), abs=1e-5)
        # Visits are taken in fractions, a plain search takes whole ones.
        if forced_playouts:
            pruned = plain.pruned()
            shares = np.abs(result.action_weights[i] - pruned / pruned.sum())
            assert shares.max() < 1.5 * (visits > 0).sum() / pruned.sum() / 2
            assert result.action_weights[i].argmax() == visits.argmax()
        else:
            np.testing.assert_allclose(result.action_weights[i], visits / SIMULATIONS, atol=1e-6)


def test_noise_is_a_distribution_that_favours_likely_actions():
    config = StrongPUCT(noise_fraction=1.0, root_temperature=1.0)
    logits = np.log(np.array([0.5, 0.3, 0.1999, 1e-4, 1e-30], np.float32))
    logits[-1] = ILLEGAL_LOGIT
    keys = jax.random.split(jax.random.key(0), 4000)
    noise = jax.jit(lambda *given: jax.nn.softmax(config.prepare_root(given[0], None, given[1])))
    mean = np.asarray(noise(keys, np.tile(logits, (4000, 1)))).mean(axis=0)
    assert mean[-1] == 0
    # Half of it is uniform over four legal actions, half over the three above the mean.
    np.testing.assert_allclose(mean[:4], [0.125 + 1 / 6] * 3 + [0.125], atol=0.01)
