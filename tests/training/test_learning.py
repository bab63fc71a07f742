"""One gradient update: learning rate, clipping, weight decay, and the EMA that plays."""

import dataclasses

import jax
import numpy as np
import optax
import pytest
from jax.flatten_util import ravel_pytree
from trees import assert_close

from azjax.networks import Variables
from azjax.training import AdamW, make_context
from azjax.training.learner import apply_gradient
from azjax.training.state import Learner

from .tiny import CONFIG, as_float32, change, iterate, start

OPTIMIZER = AdamW(
    learning_rate=2.0,
    warmup_share=0.1,
    final_learning_rate=0.25,
    weight_decay=0.5,
    max_gradient_norm=1.0,
)
OWN = change(CONFIG, optimizer=OPTIMIZER, ema_decay=0.99)
PARAMETERS = {
    "kernel": np.array([[1.0, -2.0, 3.0], [0.5, 0.25, 4.0]], np.float32),
    "bias": np.array([1.0, -1.0, 2.0], np.float32),
}
STATISTICS = {"mean": np.float32(7.0)}


@jax.jit
def compiled_update(config, *arguments):
    return apply_gradient(make_context(config), *arguments)


@jax.jit
def compiled_rates(optimizer, progress):
    return jax.vmap(optimizer.rate)(progress)


def rates(**changes):
    """Returns the learning rate at 0%, 1%, ... 100% of the run."""
    optimizer = as_float32(dataclasses.replace(OPTIMIZER, **changes))
    return np.asarray(compiled_rates(optimizer, np.linspace(0, 1, 101, dtype=np.float32)))


def learner(num_updates=0, ema_variables=None):
    variables = Variables(PARAMETERS, STATISTICS)
    opt_state = OPTIMIZER.transformation(PARAMETERS, 0.0).init(PARAMETERS)
    ema = variables._replace(params=ema_variables or PARAMETERS)
    return Learner(variables, ema, opt_state, np.int32(num_updates))


def update(
    gradient,
    num_updates=0,
    ema_variables=None,
    statistics=STATISTICS,
    rate=2.0,
    weight_decay=0.5,
    ema_decay=0.99,
):
    config = change(OWN, optimizer={"weight_decay": weight_decay}, ema_decay=ema_decay)
    before, gradient = learner(num_updates, ema_variables), ravel_pytree(gradient)[0]
    arguments = before, gradient, statistics, np.float32(rate)
    return jax.device_get(compiled_update(as_float32(config), *arguments))


def scaled(factor):
    return jax.tree.map(lambda x: np.full_like(x, factor), PARAMETERS)


def test_the_learning_rate_rises_linearly_and_falls_along_a_cosine():
    rate = rates()
    np.testing.assert_allclose(rate[:10], 0.5 + 1.5 * np.arange(10) / 10, rtol=1e-5)
    assert rate[10] == rate.max() == pytest.approx(2.0)
    assert (np.diff(rate[10:]) < 0).all()
    assert rate[55] == pytest.approx(2.0 * (0.25 + 0.75 / 2), rel=1e-5)  # half way
    assert rate[100] == pytest.approx(0.5)


def test_without_warmup_the_learning_rate_starts_at_its_highest():
    assert rates(warmup_share=0.0)[0] == pytest.approx(2.0)
    only_warmup = rates(warmup_share=1.0)
    assert np.isfinite(only_warmup).all()
    assert (np.diff(only_warmup) > 0).all()


def test_an_iteration_learns_at_the_rate_of_its_share_of_the_run():
    state, metrics = iterate(CONFIG, start(), 0.5)
    expected = CONFIG.optimizer.rate(0.5)
    assert metrics.learning_rate == pytest.approx(float(expected))
    same, metrics = iterate(CONFIG, start(), 1.0)
    assert metrics.learning_rate == pytest.approx(0.1 * CONFIG.optimizer.learning_rate)
    kernels = (jax.tree.leaves(x.learner.variables.params)[-1] for x in (state, same))
    assert not np.array_equal(*kernels)


def test_weight_decay_shrinks_kernels_only():
    after = update(scaled(0.0), num_updates=9)
    np.testing.assert_allclose(
        after.variables.params["kernel"], PARAMETERS["kernel"] * (1 - 2.0 * 0.5), atol=1e-6
    )
    np.testing.assert_array_equal(after.variables.params["bias"], PARAMETERS["bias"])


def test_gradients_of_a_large_norm_are_scaled_down_and_others_unchanged():
    norm = 3.0  # of nine ones
    for size, expected in ((100.0, 1.0 / norm), (0.1, 0.1)):
        momentum = optax.tree.get(update(scaled(size)).opt_state, "mu")
        np.testing.assert_allclose(momentum, 0.1 * expected, rtol=1e-4)


def test_parameters_move_against_the_gradient():
    after = update(scaled(0.1), weight_decay=0.0, rate=1e-3).variables.params
    assert_close(after, jax.tree.map(lambda x: x - 1e-3, PARAMETERS), 1e-5)


@pytest.mark.parametrize(
    ("num_updates", "decay", "expected"), [(0, 0.99, 0.1), (8, 0.99, 0.5), (10**5, 0.99, 0.99)]
)
def test_the_ema_decay_grows_to_its_final_value(num_updates, decay, expected):
    old = scaled(10.0)
    after = update(scaled(0.1), num_updates, ema_variables=old, ema_decay=decay)
    new = after.variables.params
    mean = jax.tree.map(lambda o, n: expected * o + (1 - expected) * n, old, new)
    assert_close(after.ema_variables.params, mean)


def test_batch_statistics_are_averaged_in_the_ema_variables_only():
    before = float(update(scaled(0.1), ema_decay=0.0).ema_variables.batch_stats["mean"])
    after = update(scaled(0.1), num_updates=8, statistics={"mean": np.float32(before + 2)})
    assert after.variables.batch_stats["mean"] == before + 2
    np.testing.assert_allclose(after.ema_variables.batch_stats["mean"], before + 1)
    assert after.num_updates == 9
