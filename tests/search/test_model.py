"""Search over a learnt model: illegal actions are masked at the root only."""

import dataclasses
import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from azjax.search import UCT, Evaluation, Model, Root, Transition, inspect_tree, search
from azjax.support.component import get_component

BATCH, ACTIONS, FEATURES = 8, 5, 6
RNG = np.random.default_rng(0)
LEGAL = RNG.random((BATCH, ACTIONS)) < 0.6
LEGAL[:, 2] = True
PARAMS = {
    "dynamics": np.float32(RNG.normal(size=(ACTIONS, FEATURES, FEATURES))),
    "prior": np.float32(RNG.normal(size=(FEATURES, ACTIONS))),
    "value": np.float32(RNG.normal(size=FEATURES)),
}
OBSERVATIONS = np.float32(RNG.normal(size=(BATCH, FEATURES)))


def represent(params, keys, observations):
    del params, keys
    return Root(jnp.tanh(observations), jnp.asarray(LEGAL))


def transition(params, keys, actions, embedding):
    del keys
    embedding = jnp.tanh(jnp.einsum("bf,bfg->bg", embedding, params["dynamics"][actions]))
    return Transition(jnp.zeros(BATCH), -jnp.ones(BATCH), embedding)


def predict(params, keys, embedding):
    del keys
    return Evaluation(embedding @ params["prior"], jnp.tanh(embedding @ params["value"]))


ALGORITHMS = ["gumbel", pytest.param("uct", marks=pytest.mark.slow)]
LEARNT = Model(ACTIONS, represent, transition, predict)


@functools.cache
def result_of(algorithm):
    config = dataclasses.replace(get_component("search", algorithm)(), num_simulations=24)
    keys = jax.random.split(jax.random.key(0), BATCH)
    find = jax.jit(functools.partial(search, LEARNT))
    result = find(jax.tree.map(np.float32, config), PARAMS, keys, OBSERVATIONS)
    return jax.tree.map(np.asarray, result._replace(tree=None)), result.tree


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_illegal_actions_are_masked_at_the_root_and_tried_below_it(algorithm):
    result, tree = result_of(algorithm)
    assert LEGAL[np.arange(BATCH), result.action].all()
    assert (result.action_weights[~LEGAL] == 0).all()
    np.testing.assert_allclose(result.action_weights.sum(axis=1), 1, rtol=1e-5)
    visits = np.asarray(tree.children_visits)
    assert (visits[:, 0][~LEGAL] == 0).all()
    assert visits[:, 1:].sum(axis=1)[~LEGAL].sum() > 0


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_without_terminal_nodes_every_simulation_adds_a_node(algorithm):
    _, tree = result_of(algorithm)
    assert (np.asarray(tree.node_visits) > 0).all()
    np.testing.assert_array_equal(tree.node_visits[:, 0], np.full(BATCH, 25))


def test_the_values_of_an_inspected_tree_are_from_the_view_of_the_root():
    result, tree = result_of("gumbel")
    nodes = inspect_tree(result._replace(tree=tree), index=3)
    assert len(nodes) == 25
    values = np.asarray(tree.node_values[3])
    for node in nodes:
        assert node.value == pytest.approx(float(values[node.index]) * (-1) ** node.depth)


def test_uct_plays_a_legal_action_whatever_the_size_of_values():
    def predict_loss(params, keys, embedding):
        evaluation = predict(params, keys, embedding)
        return evaluation._replace(value=jnp.full(BATCH, 20.0))  # so Q-values are -20

    model, keys = LEARNT._replace(predict=predict_loss), jax.random.split(jax.random.key(0), BATCH)
    find = jax.jit(functools.partial(search, model))
    result = find(UCT(num_simulations=3), PARAMS, keys, OBSERVATIONS)
    assert LEGAL[np.arange(BATCH), np.asarray(result.action)].all()
