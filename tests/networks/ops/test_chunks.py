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
    boards = jnp.asarray(BOARDS, dtype)
    found = map_chunks(lambda chunk: {"twice": 2 * chunk, "sum": chunk.sum(1)}, boards, size)
    assert found["twice"].dtype == found["sum"].dtype == dtype
    np.testing.assert_array_equal(found["twice"], 2 * boards)
    np.testing.assert_array_equal(found["sum"], boards.sum(1))
    np.testing.assert_array_equal(map_chunks(lambda chunk: 2 * chunk, boards, size), 2 * boards)
    total = sum_chunks(lambda chunk: chunk.astype(jnp.float32).sum(0), boards, size)
    np.testing.assert_allclose(total, boards.astype(jnp.float32).sum(0), rtol=1e-5)


def test_a_gradient_through_bits_is_refused():
    def total(boards):
        return map_chunks(lambda chunk: chunk * chunk, boards, 2).sum()

    np.testing.assert_allclose(jax.grad(total)(BOARDS), 2 * BOARDS)
    with pytest.raises(TypeError, match="no gradient through the bits"):
        jax.grad(total)(jnp.asarray(BOARDS, jnp.bfloat16))
