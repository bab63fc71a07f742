"""Exchanges where there is one process; those of several are tested by what they train."""

import jax
import numpy as np
import pytest

from azjax.distributed import exchange
from azjax.support.errors import RunError


def test_one_process_leads_and_gets_what_it_gives():
    assert exchange.is_leader()
    assert exchange.broadcast_text("a ü") == "a ü"
    assert exchange.gather_texts("a ü") == ["a ü"]
    values = np.array([0, 7, 255], np.uint8)
    np.testing.assert_array_equal(exchange.sum_over_processes(values), values)


def test_arrays_keep_types_shapes_and_the_sign_of_zero():
    tree = {
        "a": np.array([[-0.0, np.nan]], np.float32),
        "b": (np.array(True), np.arange(3, dtype=np.int8)),
        "c": None,
    }
    received = exchange.broadcast_arrays(tree)
    assert jax.tree.structure(received) == jax.tree.structure(tree)
    for one, other in zip(jax.tree.leaves(tree), jax.tree.leaves(received), strict=True):
        assert (one.dtype, one.shape, one.tobytes()) == (other.dtype, other.shape, other.tobytes())
    np.testing.assert_array_equal(exchange.gather_array(jax.numpy.arange(4)), np.arange(4))


def test_the_sum_over_the_devices_of_this_machine_is_right():
    exchange.check_collective(jax.devices())


def test_a_sum_that_lacks_a_part_of_a_large_array_is_told(monkeypatch):
    psum = jax.lax.psum

    def lose_the_end(x, axis_name):
        return psum(x, axis_name).at[-1000:].set(0.0)

    monkeypatch.setattr(jax.lax, "psum", lose_the_end)
    with pytest.raises(RunError, match=r"an all-reduce of .* MiB over 2 devices gives wrong sums"):
        exchange.check_collective(jax.devices()[:2])
