"""The action weights of a search, and the action that it plays."""

import jax
import numpy as np
import pytest

from azjax.games import make

from .searching import (
    EvaluationParams,
    legal_actions,
    narrow_searcher,
    positions,
    random_positions,
    searcher,
)

PARAMS = EvaluationParams(variation=0.9, illegal_bonus=50.0)
NOISE = {"gumbel_scale": 1.0, "dirichlet_fraction": 0.25}


def softmax(logits):
    weights = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True)


def gumbel_logits(result, states, game, value_scale, maxvisit_init, rescale_values=True):
    """Returns prior logits plus completed Q-values at the roots, as the paper's appendix D."""
    tree = jax.tree.map(lambda x: x[:, 0], result.tree.replace(extra_data=None))
    legal = legal_actions(game, states)
    prior = softmax(np.where(legal, tree.children_prior_logits, -np.inf).astype(float))
    visits = tree.children_visits
    qvalues = tree.children_rewards + tree.children_discounts * tree.children_values.astype(float)
    logits = np.full(legal.shape, -np.inf)
    for i in range(len(legal)):
        seen = visits[i] > 0
        mean = (prior[i] * qvalues[i])[seen].sum() / prior[i][seen].sum()
        mixed = (tree.raw_values[i] + visits[i].sum() * mean) / (1 + visits[i].sum())
        completed = np.where(seen, qvalues[i], mixed)
        if rescale_values:
            completed = (completed - completed.min()) / max(np.ptp(completed), 1e-8)
        scale = (maxvisit_init + visits[i].max()) * value_scale
        logits[i] = np.log(np.maximum(prior[i], 1e-300)) + scale * completed
    return np.where(legal, logits, -np.inf)


def plain_puct(tree, i, num_simulations, c_puct, c_puct_base):
    """Repeats the search in plain Python, with the raw values of the tree's nodes.

    Returns:
      [A]: the visits of the root's actions.
    """
    children = tree.children_index[i]
    prior = softmax(tree.children_prior_logits[i].astype(float))
    # All values backed up to a node, by node.
    values = [[value] for value in tree.raw_values[i].astype(float)]
    visits, qvalues = np.zeros(children.shape, int), np.zeros(children.shape)
    for _ in range(num_simulations):
        node, path = 0, []
        while True:
            seen, here = visits[node] > 0, np.mean(values[node])
            known = np.where(seen, qvalues[node], here)
            low, high = min(here, known.min()), max(here, known.max())
            scaled = (np.where(seen, qvalues[node], low) - low) / max(high - low, 1e-8)
            count = len(values[node])
            weight = c_puct + np.log((count + c_puct_base + 1) / c_puct_base)
            score = scaled + weight * prior[node] * np.sqrt(count) / (1 + visits[node])
            action = np.where(tree.children_prior_logits[i, node] > -1e8, score, -np.inf).argmax()
            path.append((node, action))
            is_new, node = not seen[action], children[node, action]
            if is_new or tree.embeddings.terminated[i, node]:
                break
        value = values[node][0]
        for parent, action in reversed(path):
            is_over = tree.embeddings.terminated[i, children[parent, action]]
            value = tree.children_rewards[i, parent, action] if is_over else -value
            values[parent].append(value)
            visits[parent, action] += 1
            below = np.mean(values[children[parent, action]])
            qvalues[parent, action] = value if is_over else -below
    return visits[0]


@pytest.mark.parametrize("noise", [{}, NOISE], ids=["quiet", "noisy"])
def test_weights_are_a_distribution_over_legal_actions_and_the_action_is_one(find, noise):
    states = random_positions(find.game.name)
    legal = legal_actions(find.game, states)
    result = find(states, PARAMS, **noise)
    assert np.isfinite(result.action_weights).all()
    assert (result.action_weights >= 0).all()
    np.testing.assert_allclose(result.action_weights.sum(axis=1), 1, atol=1e-5)
    assert (result.action_weights[~legal] == 0).all()
    assert legal[np.arange(len(legal)), result.action].all()
    assert (np.abs(result.value) <= 1).all()


def test_one_simulation_and_one_legal_action_are_enough():
    game = make("tic_tac_toe")
    states = positions(game, "XOX/OOX/X.O X", "XOX/XO./OX. O", ".../.../... X")
    result = searcher("tic_tac_toe", "gumbel", 1)(states, PARAMS, **NOISE)
    legal = legal_actions(game, states)
    assert result.action[0] == 7
    np.testing.assert_array_equal(result.action_weights[0], np.arange(9) == 7)
    assert np.isfinite(result.action_weights).all()
    assert np.isfinite(result.value).all()
    assert (result.action_weights[~legal] == 0).all()
    assert legal[np.arange(3), result.action].all()


def test_puct_visits_what_a_plain_search_by_the_paper_s_bound_visits():
    states = random_positions("tic_tac_toe")
    tree = searcher("tic_tac_toe", "puct")(states, PARAMS, c_puct=2.0, c_puct_base=30.0).tree
    for i in (0, 4, 8):
        visits = plain_puct(tree, i, num_simulations=128, c_puct=2.0, c_puct_base=30.0)
        np.testing.assert_array_equal(tree.children_visits[i, 0], visits)


@pytest.mark.parametrize("noise", [{}, NOISE], ids=["quiet", "noisy"])
def test_gumbel_s_weights_are_the_softmax_of_logits_plus_completed_qvalues(noise):
    scales = {"value_scale": 0.03, "maxvisit_init": 20.0}
    states, game = random_positions("tic_tac_toe"), make("tic_tac_toe")
    result = searcher("tic_tac_toe", "gumbel")(states, PARAMS, **scales, **noise)
    logits = gumbel_logits(result, states, game, **scales)
    np.testing.assert_allclose(result.action_weights, softmax(logits), atol=2e-5)


def test_gumbel_uses_raw_qvalues_where_they_are_not_rescaled():
    scales = {"value_scale": 0.03, "maxvisit_init": 20.0}
    states, game = random_positions("tic_tac_toe"), make("tic_tac_toe")
    result = narrow_searcher()(states, PARAMS, **scales)
    as_they_are, stretched = (
        softmax(gumbel_logits(result, states, game, **scales, rescale_values=choice))
        for choice in (False, True)
    )
    np.testing.assert_allclose(result.action_weights, as_they_are, atol=2e-5)
    assert np.abs(as_they_are - stretched).max() > 0.01


def test_gumbel_plays_the_best_of_the_most_visited():
    scales = {"value_scale": 0.03, "maxvisit_init": 20.0}
    states, game = random_positions("tic_tac_toe"), make("tic_tac_toe")
    for scale in (0.0, 1.0, 2.0):
        result = searcher("tic_tac_toe", "gumbel")(states, PARAMS, **scales, gumbel_scale=scale)
        visits = result.tree.children_visits[:, 0]
        logits = gumbel_logits(result, states, game, **scales)
        noise = scale * result.tree.extra_data
        candidates = visits == visits.max(axis=1, keepdims=True)
        expected = np.where(candidates, logits + noise, -np.inf).argmax(axis=1)
        np.testing.assert_array_equal(result.action, expected)


def test_gumbel_tries_no_more_actions_than_it_may_consider():
    find = narrow_searcher()
    start = positions(find.game, ".../.../... X")
    visits = find(start, gumbel_scale=1.0).tree.children_visits[:, 0]
    assert (visits > 0).sum() == 3
