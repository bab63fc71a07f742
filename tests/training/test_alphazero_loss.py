"""The loss against its formula, written out in NumPy."""

import dataclasses

import jax
import numpy as np
import pytest

from azjax.networks import Variables
from azjax.training import AlphaZero
from azjax.training.algorithms.alphazero import Batch
from azjax.training.targets import Targets

from .table_network import Table
from .tiny import CONTEXT, NETWORK

SIZE = 6
RNG = np.random.default_rng(0)
LOGITS = RNG.normal(size=(SIZE, 9)).astype(np.float32)
VALUE = RNG.uniform(-1, 1, SIZE).astype(np.float32)


TABLE = dataclasses.replace(CONTEXT, network=Table())


def make_batch():
    rng = np.random.default_rng(1)
    legal = rng.random((SIZE, 9)) < 0.5
    legal[:, 4] = True
    legal[0] = np.arange(9) == 4  # a single legal action
    weights = rng.random((SIZE, 9)) * legal
    weights = weights / weights.sum(axis=1, keepdims=True)
    observation = rng.random((SIZE, 3, 3, 2)).astype(np.float32)
    target = rng.uniform(-1, 1, SIZE).astype(np.float32)
    return Batch(observation, legal, weights.astype(np.float32), Targets(target, {}), {})


BATCH = make_batch()


def loss_of(context, variables, batch=BATCH, weight=1.0):
    losses, statistics = AlphaZero(value_loss_weight=weight).loss(context, variables, batch)
    return losses.loss, (losses, statistics)


def softmax_over(legal, logits):
    weights = np.where(legal, np.exp(logits.astype(float)), 0)
    return weights / weights.sum(axis=1, keepdims=True)


@jax.jit
def gradient_of_table(logits, value, weight):
    def loss(parameters):
        return loss_of(TABLE, Variables(parameters, {}), weight=weight)

    return jax.value_and_grad(loss, has_aux=True)({"policy_logits": logits, "value": value})


def test_the_loss_is_cross_entropy_plus_weighted_squared_error():
    (loss, (losses, statistics)), _ = gradient_of_table(LOGITS, VALUE, np.float32(0.5))
    policy = softmax_over(BATCH.legal, LOGITS)
    entropy = -np.where(BATCH.legal, BATCH.action_weights * np.log(np.where(policy, policy, 1)), 0)
    policy_loss = entropy.sum(axis=1).mean()
    value_loss = np.square(VALUE - BATCH.targets.value).mean()
    assert losses.policy_loss == pytest.approx(policy_loss, rel=1e-5)
    assert losses.value_loss == pytest.approx(value_loss, rel=1e-5)
    assert loss == losses.loss == pytest.approx(policy_loss + 0.5 * value_loss, rel=1e-5)
    assert statistics == {"kept": 1.0}


def test_the_gradient_is_policy_minus_weights_and_nothing_on_illegal_actions():
    _, gradient = gradient_of_table(LOGITS, VALUE, np.float32(0.5))
    policy = softmax_over(BATCH.legal, LOGITS)
    np.testing.assert_allclose(
        gradient["policy_logits"], (policy - BATCH.action_weights) / SIZE, atol=1e-6
    )
    assert (np.asarray(gradient["policy_logits"])[~BATCH.legal] == 0).all()
    expected = 0.5 * 2 * (VALUE - BATCH.targets.value) / SIZE
    np.testing.assert_allclose(gradient["value"], expected, atol=1e-6)


def test_extreme_logits_give_no_nan_and_illegal_ones_do_not_count():
    boosted = np.where(BATCH.legal, LOGITS, 1e4).astype(np.float32)
    (loss, _), _ = gradient_of_table(boosted, VALUE, np.float32(1.0))
    (same, _), _ = gradient_of_table(LOGITS, VALUE, np.float32(1.0))
    assert loss == pytest.approx(float(same), rel=1e-3)
    (loss, _), gradient = gradient_of_table(1e4 * LOGITS, VALUE, np.float32(1.0))
    assert np.isfinite(loss)
    assert all(np.isfinite(leaf).all() for leaf in jax.tree.leaves(gradient))


def test_of_some_positions_the_policy_or_the_value_alone_is_learnt():
    """The policy of full searches alone, and the value of games that have ended."""
    policy_weight, value_weight = np.float32([4, 0, 0, 1, 0, 2]), np.float32([1, 1, 0, 0, 1, 1])
    batch = BATCH._replace(policy_weight=policy_weight, value_weight=value_weight)

    @jax.jit
    @jax.grad
    def gradient(parameters):
        return loss_of(TABLE, Variables(parameters, {}), batch)[0]

    weighted = gradient({"policy_logits": LOGITS, "value": VALUE})
    _, whole = gradient_of_table(LOGITS, VALUE, np.float32(1.0))
    expected = policy_weight[:, None] * np.asarray(whole["policy_logits"])
    np.testing.assert_allclose(weighted["policy_logits"], expected, atol=1e-6)
    np.testing.assert_allclose(weighted["value"], value_weight * whole["value"], atol=1e-6)


def test_the_gradient_of_a_real_network_is_finite_and_reaches_every_parameter():
    @jax.jit
    def gradient(key):
        variables = NETWORK.init(key)
        spread = jax.tree.map(lambda x: x + 0.1 * jax.random.normal(key, x.shape), variables)
        return jax.grad(lambda variables: loss_of(CONTEXT, variables)[0])(spread).params

    for leaf in jax.tree.leaves(gradient(jax.random.key(0))):
        assert np.isfinite(leaf).all()
        assert np.abs(leaf).max() > 0


def test_the_loss_of_win_draw_and_loss_is_the_cross_entropy_to_their_probabilities():
    rng = np.random.default_rng(2)
    logits = rng.normal(size=(SIZE, 3)).astype(np.float32)
    draw = rng.random(SIZE).astype(np.float32) * (1 - np.abs(BATCH.targets.value))
    known = np.float32([1, 1, 0, 0, 1, 1])  # of games that have ended
    batch = BATCH._replace(targets=BATCH.targets._replace(draw=draw), value_weight=known)

    @jax.jit
    def loss(value_logits):
        params = {"policy_logits": LOGITS, "value": VALUE, "value_logits": value_logits}
        return loss_of(TABLE, Variables(params, {}), batch, 0.5)

    (loss, (losses, _)), gradient = jax.value_and_grad(loss, has_aux=True)(logits)
    expected = BATCH.targets.value
    target = np.stack([(1 - draw + expected) / 2, draw, (1 - draw - expected) / 2], axis=1)
    predicted = softmax_over(np.ones((SIZE, 3), bool), logits)
    cross_entropy = -(known * (target * np.log(predicted)).sum(axis=1)).mean()
    assert (
        loss
        == losses.loss
        == pytest.approx(float(losses.policy_loss) + 0.5 * cross_entropy, rel=1e-5)
    )
    squared_error = (known * np.square(VALUE - expected)).mean()
    assert losses.value_loss == pytest.approx(squared_error, rel=1e-5)
    of_logits = 0.5 * known[:, None] * (predicted - target) / SIZE
    np.testing.assert_allclose(gradient, of_logits, atol=1e-6)
