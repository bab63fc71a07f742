"""Random numbers of a batch of keys equal those of each key alone."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from azjax.support import prng

# Found by trying all: the first random bits of each are zeros in a float's mantissa.
KEYS_OF_ZERO = np.array([[0, 780_233], [0, 3_714_538], [0, 5_067_035]], np.uint32)
NUMS = [1, 44]


@pytest.fixture(scope="module")
def keys():
    return jax.random.split(jax.random.key(3), 6)


@functools.cache
def compiled(sample, num):
    return jax.jit(functools.partial(sample, num=num))


@pytest.mark.parametrize("num", NUMS)
def test_uniform_numbers_are_those_of_jax(keys, num):
    own = compiled(prng.uniform, num)(keys)
    assert own.dtype == jnp.float32
    np.testing.assert_array_equal(own, [jax.random.uniform(key, (num,)) for key in keys])


@pytest.mark.parametrize("num", NUMS)
def test_gumbel_numbers_are_those_of_jax(keys, num):
    own = compiled(prng.gumbel, num)(keys)
    assert own.dtype == jnp.float32
    each = [jax.random.gumbel(key, (num,)) for key in keys]
    np.testing.assert_allclose(own, each, rtol=1e-6, atol=1e-7)


@pytest.mark.usefixtures("optimizations")
def test_gumbel_numbers_are_finite_where_the_random_bits_are_zeros():
    keys = jax.random.wrap_key_data(KEYS_OF_ZERO)
    assert (prng.uniform(keys, 1) == 0).all()
    own = jax.device_get(jax.jit(functools.partial(prng.gumbel, num=2))(keys))
    assert np.isfinite(own).all()
    each = [jax.random.gumbel(key, (2,)) for key in keys]
    np.testing.assert_allclose(own, each, rtol=1e-6)


def test_hashed_gumbel_numbers_are_independent_and_of_their_distribution():
    keys = jax.random.split(jax.random.key(3), 64)
    numbers = np.asarray(compiled(prng.hashed_gumbel, 4672)(keys))
    assert numbers.shape == (64, 4672)
    assert np.isfinite(numbers).all()
    size = np.sqrt(numbers.size)  # bounds of four standard errors and more
    assert abs(numbers.mean() - np.euler_gamma) < 5 / size
    assert abs(numbers.var() - np.pi**2 / 6) < 12 / size
    for column in (1, 2, 64, 4096):  # within a key, and between keys
        assert abs(np.corrcoef(numbers[:, column:].ravel(), numbers[:, :-column].ravel())[0, 1]) < (
            5 / np.sqrt(numbers[:, column:].size)
        )
    assert abs(np.corrcoef(numbers[1:].ravel(), numbers[:-1].ravel())[0, 1]) < 5 / size
    shares = np.bincount(numbers.argmax(axis=0), minlength=64) / 4672
    assert shares.max() < 0.03
    assert (np.asarray(compiled(prng.hashed_gumbel, 7)(keys)) == numbers[:, :7]).all()
