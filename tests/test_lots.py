"""Random numbers by many keys are those that each key gives by itself."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from azjax import lots

KEYS = jax.random.split(jax.random.key(3), 6)
NUMS = [1, 7, 44]


@pytest.mark.parametrize("num", NUMS)
@pytest.mark.parametrize(
    ("draw", "draw_one"), [(lots.uniform, jax.random.uniform), (lots.gumbel, jax.random.gumbel)]
)
def test_they_are_those_of_jax(draw, draw_one, num):
    own = jax.jit(functools.partial(draw, num=num))(KEYS)
    each = [draw_one(key, (num,)) for key in KEYS]
    assert own.dtype == jnp.float32
    np.testing.assert_allclose(own, each, rtol=1e-6, atol=1e-7)


def test_they_are_all_finite_and_in_range():
    numbers = jax.device_get(jax.jit(functools.partial(lots.uniform, num=2**16))(KEYS))
    assert ((numbers >= 0) & (numbers < 1)).all()
    assert numbers.mean() == pytest.approx(0.5, abs=2e-3)
    assert np.isfinite(jax.jit(functools.partial(lots.gumbel, num=2**16))(KEYS)).all()
