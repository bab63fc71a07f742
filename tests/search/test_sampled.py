"""Searches over sampled actions: the correction of the prior, the result, and the memory."""

import dataclasses
import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from trees import assert_same

from azjax.games import make
from azjax.search import PUCT, Evaluation, inspect_tree, is_legal, rules_model
from azjax.search.sampled_model import _sample_actions, sampled_model
from azjax.support import prng

from .searching import (
    BATCH,
    UNIFORM,
    EvaluationParams,
    legal_actions,
    make_search,
    random_positions,
    search_game,
    searcher,
)

GAME = make("tic_tac_toe")
SAMPLED = 3
PARAMS = UNIFORM._replace(logits=np.zeros(9, np.float32), variation=np.float32(1))
CONFIG = PUCT(num_simulations=24, sampled_actions=SAMPLED)


@functools.cache
def compiled_search():
    return jax.jit(search_game(GAME), static_argnames="roots_alone")


def found(config, seed=0, **options):
    keys = jax.random.split(jax.random.key(seed), BATCH)
    return jax.device_get(
        compiled_search()(config, PARAMS, keys, random_positions("tic_tac_toe"), **options)
    )


def test_the_corrected_prior_is_that_of_all_actions_on_average():
    rng = np.random.default_rng(0)
    logits = rng.normal(size=8).astype(np.float32)
    keys = jax.random.split(jax.random.key(0), 20_000)
    sample = jax.jit(lambda keys: _sample_actions(keys, jnp.tile(logits, (len(keys), 1)), 5))
    actions, corrected = jax.device_get(sample(keys))
    assert (np.diff(actions, axis=1) > 0).all()
    weights = np.exp(corrected) / np.exp(corrected).sum(axis=1, keepdims=True)
    mean = np.zeros(8)
    np.add.at(mean, actions, weights)
    prior = np.exp(logits) / np.exp(logits).sum()
    np.testing.assert_allclose(mean / len(keys), prior, atol=0.015)


def test_actions_are_not_sampled_by_the_noise_of_the_evaluation():
    def evaluate_noisily(params, keys, states):
        likeliest = prng.hashed_gumbel(keys, 9).argmax(axis=1)
        return Evaluation(jnp.zeros((BATCH, 9)), likeliest.astype(jnp.float32))

    model = sampled_model(rules_model(GAME, evaluate_noisily), 1)
    keys = jax.random.split(jax.random.key(0), BATCH)
    node = jax.jit(model.represent)((), keys, random_positions("tic_tac_toe")).embedding
    assert (node.actions[:, 0] == node.evaluation.value).sum() < BATCH / 2


def test_where_few_actions_are_legal_the_rest_is_masked():
    logits = np.full((4, 6), -1e9, np.float32)
    logits[:, 2], logits[:, 4] = 0, -1
    keys = jax.random.split(jax.random.key(2), 4)
    sample = jax.jit(functools.partial(_sample_actions, num_sampled=3))
    actions, corrected = jax.device_get(sample(keys, jnp.asarray(logits)))
    legal = np.asarray(is_legal(corrected))
    assert (legal.sum(axis=1) == 2).all()
    assert set(actions[legal].tolist()) == {2, 4}
    weights = np.exp(corrected[legal].reshape(4, 2))
    np.testing.assert_allclose(weights[:, 1] / weights[:, 0], np.exp(-1), rtol=1e-4)


def test_where_no_action_is_legal_nothing_becomes_nan_on_the_way():
    keys = jax.random.split(jax.random.key(3), 4)
    with jax.debug_nans(True):
        sample = jax.jit(functools.partial(_sample_actions, num_sampled=3))
        _, corrected = sample(keys, jnp.full((4, 6), -1e9))
    assert not is_legal(corrected).any()


@pytest.mark.parametrize("algorithm", ["gumbel", "puct"])
def test_a_sampled_search_plays_legal_moves_among_few(algorithm):
    result = found(make_search(algorithm, 24, sampled_actions=SAMPLED))
    legal = legal_actions(GAME, random_positions("tic_tac_toe"))
    assert legal[np.arange(BATCH), result.action].all()
    weights = result.action_weights
    assert weights.shape == (BATCH, 9)
    assert (weights[~legal] == 0).all()
    assert ((weights > 0).sum(axis=1) <= SAMPLED).all()
    np.testing.assert_allclose(weights.sum(axis=1), 1, atol=1e-5)
    assert result.tree.children_visits.shape == (BATCH, 25, 9)
    np.testing.assert_array_equal(result.tree.summary().visit_counts.sum(axis=1), 24)
    assert ((result.tree.summary().visit_counts > 0).sum(axis=1) <= SAMPLED).all()


def test_the_nodes_of_the_result_are_positions_reached_by_their_actions():
    result, step = found(CONFIG), jax.jit(GAME.step)
    nodes = {node.index: node for node in inspect_tree(result, index=2)}
    assert len(nodes) > 5
    for node in nodes.values():
        if node.parent is not None:
            after = step(nodes[node.parent].state, node.action)
            assert (np.asarray(after.board) == node.state.board).all()


def test_the_roots_alone_are_those_of_the_trees():
    whole, roots = found(CONFIG), found(CONFIG, roots_alone=True)
    assert roots.tree.node_visits.shape == (BATCH, 1)
    np.testing.assert_array_equal(roots.action_weights, whole.action_weights)
    np.testing.assert_array_equal(
        roots.tree.summary().visit_counts, whole.tree.summary().visit_counts
    )


def test_as_many_as_there_are_is_the_full_search():
    states, params = random_positions("tic_tac_toe"), EvaluationParams(variation=1.0)
    full, sampled = (
        searcher("tic_tac_toe", "puct", **options)(states, params, dirichlet_fraction=0.25)
        for options in ({}, {"sampled_actions": 9})
    )
    assert_same(full, sampled)


def test_actions_that_are_not_sampled_prove_nothing():
    with pytest.raises(ValueError, match=r"^sampled_actions=3: must be 0 with proven_values"):
        dataclasses.replace(CONFIG, proven_values=True)
