"""Chunks give the results of the whole batch, and a missing gradient raises."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from azjax.networks.ops.chunks import map_chunks, sum_chunks

BOARDS = np.random.default_rng(0).normal(size=(7, 4)).astype(np.float32)


@pytest.mark.parametrize("dtype", [jnp.float32, jnp.bfloat16])
@pytest.mark.parametrize("size", [2, 7, 8])
def test_chunks_are_the_same_as_all_at_once(dtype, size):
    def in_chunks(boards):
        pair = map_chunks(lambda chunk: {"twice": 2 * chunk, "sum": chunk.sum(1)}, boards, size)
        one = map_chunks(lambda chunk: 2 * chunk, boards, size)
        return pair, one, sum_chunks(lambda chunk: chunk.astype(jnp.float32).sum(0), boards, size)

    def at_once(boards):
        return 2 * boards, boards.sum(1), boards.astype(jnp.float32).sum(0)

    boards = jnp.asarray(BOARDS, dtype)
    found, one, total = jax.jit(in_chunks)(boards)
    twice, of_each, expected = jax.jit(at_once)(boards)
    assert found["twice"].dtype == found["sum"].dtype == dtype
    np.testing.assert_array_equal(found["twice"], twice)
    np.testing.assert_array_equal(found["sum"], of_each)
    np.testing.assert_array_equal(one, twice)
    np.testing.assert_allclose(total, expected, rtol=1e-5)


def test_a_gradient_through_bits_is_refused():
    def total(boards):
        return map_chunks(lambda chunk: chunk * chunk, boards, 2).sum()

    np.testing.assert_allclose(jax.jit(jax.grad(total))(BOARDS), 2 * BOARDS)
    with pytest.raises(TypeError, match="no gradient through the bits"):
        jax.jit(jax.grad(total))(jnp.asarray(BOARDS, jnp.bfloat16))
