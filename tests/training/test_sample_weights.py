"""From which positions samples are drawn: a window that grows."""

import dataclasses
import functools

import jax
import numpy as np
import pytest
from jax.sharding import PartitionSpec

from azjax.support.machine.devices import AXIS, make_mesh
from azjax.training import make_context
from azjax.training.sample_weights import find_positions, window_size
from azjax.training.state import Replay

from .numbered_replay import ENVS, MANY, ROWS, numbered, sample_first
from .tiny import HYPERPARAMETERS, as_float32

WINDOW = dataclasses.replace(MANY, growing_window=True)
NUMBERS = HYPERPARAMETERS._replace(window_min_moves=4.0)
sample_window = jax.jit(functools.partial(sample_first, WINDOW))


def frequencies(samples):
    """Returns [C, B]: how often each position was drawn, as a share."""
    counts = np.bincount(samples.state, minlength=ROWS * ENVS).reshape(ROWS, ENVS)
    return counts / counts.sum()


def assert_frequencies(samples, expected):
    """Fails if chi-square over its degrees of freedom is far from 1, or a zero is drawn."""
    found, drawn = frequencies(samples), expected > 0
    assert (found[~drawn] == 0).all()
    chi_square = (np.square(found - expected)[drawn] / expected[drawn]).sum() * len(samples.state)
    assert chi_square / drawn.sum() == pytest.approx(1, abs=0.5)


def test_the_window_grows_as_in_the_paper():
    """The paper's window, in thousands of samples: 250 at first, beyond 20,000 at the end."""
    numbers = HYPERPARAMETERS._replace(
        window_min_moves=250.0, window_growth=0.4, window_exponent=0.75
    )
    sizes = jax.jit(lambda n: window_size(as_float32(numbers), n, 100_000))
    made = np.array([1, 100, 250, 251, 300, 1000, 50_000, 241_000, 2_000_000], np.int32)
    grown = 250 * (1 + 0.4 * ((made / 250.0) ** 0.75 - 1) / 0.75)
    expected = np.where(made <= 250, made, np.minimum(grown, 100_000))
    assert 20_000 < expected[-2] < expected[-1] == 100_000
    np.testing.assert_allclose([sizes(n) for n in made], expected, rtol=1e-5, atol=1)


@pytest.mark.parametrize(("num_written", "window"), [(4, 4), (12, 6), (16, 7), (20, 8), (400, 16)])
def test_samples_are_uniform_over_the_newest_moves_of_the_window(num_written, window):
    samples = sample_window(*numbered(num_written), jax.random.key(0), as_float32(NUMBERS))
    rows = np.arange(num_written - window, num_written) % ROWS
    expected = np.zeros((ROWS, ENVS))
    expected[rows] = 1 / (window * ENVS)
    assert_frequencies(jax.device_get(samples), expected)


def test_no_number_falls_to_a_position_of_weight_0():
    weights = np.array([[0, 2, 0, 0, 1, 0], [1, 0, 3, 0, 0, 0]], np.int32)
    found = find_positions(weights.cumsum(axis=1), np.array([[0, 1, 2], [0, 1, 3]], np.int32))
    np.testing.assert_array_equal(found, [[1, 1, 4], [0, 2, 2]])


@pytest.mark.parametrize("config", [WINDOW], ids=["window"])
def test_a_batch_does_not_depend_on_the_number_of_devices(config):
    sample_pairs = functools.partial(sample_first, dataclasses.replace(config, batch_size=8008))
    replay_spec = PartitionSpec(None, AXIS)
    sharded = jax.jit(
        jax.shard_map(
            functools.partial(sample_pairs, axis_name=AXIS),
            mesh=make_mesh(2),
            in_specs=(Replay(replay_spec, PartitionSpec()), replay_spec, *2 * [PartitionSpec()]),
            out_specs=PartitionSpec(AXIS),
            check_vma=False,
        )
    )
    arguments = (*numbered(12), jax.random.key(3), as_float32(NUMBERS))
    alone = jax.jit(sample_pairs)(*arguments)
    assert make_context(config).config.num_groups % 2 == 0
    assert len(np.unique(alone.state)) > 80
    jax.tree.map(np.testing.assert_array_equal, alone, sharded(*arguments))
