"""From which positions samples are drawn: a window that grows, and weights by surprise."""

import dataclasses
import functools

import jax
import numpy as np
import pytest
from jax.sharding import PartitionSpec

from azjax.support.machine.devices import AXIS, make_mesh
from azjax.training import GrowingWindow, Part, SurpriseSampling, make_context
from azjax.training.replay import init_replay
from azjax.training.sampling import find_positions, sample_weights
from azjax.training.state import Replay

from .numbered_replay import GAMES, MANY, NO_STATE, ROWS, numbered, sample_first
from .tiny import CONTEXT, as_float32, change, with_parts

PAIRS = dataclasses.replace(MANY, batch_size=8008)  # groups of two games
GROUPS = GAMES // 2
PARTS = GrowingWindow(min_moves=4.0), SurpriseSampling()
WINDOW, SURPRISE = (with_parts(PAIRS, part) for part in PARTS)
BOTH = with_parts(PAIRS, *PARTS)
SURPRISES = np.random.default_rng(0).exponential(size=(ROWS, GAMES)).astype(np.float32)
SURPRISES[:, :2] = 0.0  # a group without any


compiled_sample = jax.jit(sample_first)


def sample(config, num_written):
    """Returns samples from a numbered replay with `SURPRISES`."""
    replay = numbered(num_written, surprise=SURPRISES)
    key = jax.random.key(num_written)
    return jax.device_get(compiled_sample(as_float32(config), *replay, key))


def frequencies(rows, weight):
    """Returns [C, B]: the expected frequencies of samples from some rows, by a weight s."""
    surprise = SURPRISES.reshape(ROWS, GROUPS, 2)[rows]
    total = surprise.sum(axis=(0, 2), keepdims=True)
    uniform = np.full_like(surprise, 1 / (2 * len(rows)))
    by_surprise = np.where(total > 0, surprise / np.maximum(total, 1e-9), uniform)
    expected = np.zeros((ROWS, GAMES))
    mixed = (1 - weight) * uniform + weight * by_surprise
    expected[rows] = mixed.reshape(-1, GAMES) / GROUPS
    return expected


def assert_frequencies(samples, expected):
    """Fails if chi-square over its degrees of freedom is far from 1, or a zero is sampled."""
    counts = np.bincount(samples.state, minlength=ROWS * GAMES).reshape(ROWS, GAMES)
    is_possible = expected > 0
    assert (counts[~is_possible] == 0).all()
    expected = counts.sum() * expected[is_possible]
    chi_square = (np.square(counts[is_possible] - expected) / expected).mean()
    assert chi_square == pytest.approx(1, abs=0.4)


def test_without_the_parts_nothing_is_weighted_and_no_surprise_is_stored():
    replay = jax.eval_shape(lambda: init_replay(CONTEXT))
    assert replay.trajectory.records == {}
    assert sample_weights(CONTEXT, NO_STATE, replay) is None


def test_the_window_grows_as_in_the_paper():
    """The paper's window, in thousands of samples: 250 at first, beyond 20,000 at the end."""
    part = as_float32(GrowingWindow(min_moves=250.0, growth=0.4, exponent=0.75))
    sizes = jax.jit(lambda n: part.window_size(n, 100_000))
    made = np.array([1, 100, 250, 251, 300, 1000, 50_000, 241_000, 2_000_000], np.int32)
    grown = 250 * (1 + 0.4 * ((made / 250.0) ** 0.75 - 1) / 0.75)
    expected = np.where(made <= 250, made, np.minimum(grown, 100_000))
    assert 20_000 < expected[-2] < expected[-1] == 100_000
    np.testing.assert_allclose([sizes(n) for n in made], expected, rtol=1e-5, atol=1)


@pytest.mark.parametrize(("num_written", "window"), [(4, 4), (20, 8), (400, 16)])
def test_samples_are_uniform_over_the_newest_moves_of_the_window(num_written, window):
    rows = np.arange(num_written - window, num_written) % ROWS
    assert_frequencies(sample(WINDOW, num_written), frequencies(rows, weight=0.0))


@pytest.mark.parametrize(("num_written", "weight"), [(12, 0.5), (20, 1.0)])
def test_samples_follow_the_surprise_within_each_group(num_written, weight):
    samples = sample(change(SURPRISE, surprise_sampling={"weight": weight}), num_written)
    assert_frequencies(samples, frequencies(np.arange(min(num_written, ROWS)), weight))
    groups = np.bincount(samples.state % GAMES // 2)
    np.testing.assert_array_equal(groups, PAIRS.batch_size // GROUPS)
    symmetries = np.bincount(samples.symmetry) / PAIRS.batch_size
    np.testing.assert_allclose(symmetries, 1 / 8, atol=0.02)


def test_within_a_growing_window_the_surprise_of_older_moves_does_not_count():
    assert_frequencies(sample(BOTH, 20), frequencies(np.arange(12, 20) % ROWS, weight=0.5))


def test_a_fast_search_keeps_its_share_of_the_samples_whatever_its_surprise():
    """So the mean weight of the policy loss stays 1, with a quarter of searches in full."""
    is_written, learns_policy = np.arange(ROWS) < 12, np.arange(ROWS) % 4 == 0
    surprise = np.random.default_rng(0).exponential(size=(ROWS, GAMES)).astype(np.float32)
    surprise[~learns_policy] *= 100
    policy_weight = np.float32(4 * learns_policy)[:, None].repeat(GAMES, axis=1)
    replay, _ = numbered(12, surprise=surprise, policy_weight=policy_weight)
    part, uniform = SurpriseSampling(weight=0.75), np.float32(is_written)[:, None]
    weigh = jax.jit(functools.partial(part.weights, make_context(PAIRS), None))
    found = weigh(replay, uniform.repeat(GAMES, axis=1))
    weights = np.asarray(found).reshape(ROWS, GROUPS, 2)
    in_full = learns_policy & is_written
    assert (weights[~in_full] == is_written[~in_full, None, None]).all()
    np.testing.assert_allclose(weights[in_full].mean(axis=(0, 2)), 1, rtol=1e-5)
    of_surprise = surprise.reshape(weights.shape)[in_full]
    of_surprise = of_surprise / of_surprise.mean(axis=(0, 2), keepdims=True)
    np.testing.assert_allclose(weights[in_full], 0.25 + 0.75 * of_surprise, rtol=1e-3)


def test_a_group_without_weight_is_sampled_uniformly_from_what_is_written():
    class FirstGroup(Part):
        name = "first_group"

        def weights(self, context, state, replay, weights):
            return weights.at[:, 2:].set(0)

    context = make_context(with_parts(PAIRS, FirstGroup()))
    weigh = jax.jit(functools.partial(sample_weights, context, NO_STATE))
    found = np.diff(weigh(numbered(12)[0]), axis=1, prepend=0)
    of_rows = found.reshape(GROUPS, ROWS, 2)
    assert (of_rows[:, 12:] == 0).all()
    assert len(np.unique(of_rows[:, :12])) == 1


def test_no_number_falls_to_a_position_of_weight_0():
    weights = np.array([[0, 2, 0, 0, 1, 0], [1, 0, 3, 0, 0, 0]], np.int32)
    find = jax.jit(find_positions)
    found = find(weights.cumsum(axis=1), np.array([[0, 1, 2], [0, 1, 3]], np.int32))
    np.testing.assert_array_equal(found, [[1, 1, 4], [0, 2, 2]])


def test_a_batch_does_not_depend_on_the_number_of_devices():
    replay_spec = PartitionSpec(None, AXIS)
    sharded = jax.jit(
        jax.shard_map(
            functools.partial(sample_first, as_float32(BOTH), axis_name=AXIS),
            mesh=make_mesh(2),
            in_specs=(Replay(replay_spec, PartitionSpec()), replay_spec, PartitionSpec()),
            out_specs=PartitionSpec(AXIS),
            check_vma=False,
        )
    )
    arguments = *numbered(12, surprise=SURPRISES), jax.random.key(12)
    alone = sample(BOTH, 12)
    assert len(np.unique(alone.state)) > 80
    np.testing.assert_array_equal(alone.state, alone.targets.value)
    jax.tree.map(np.testing.assert_array_equal, alone, jax.device_get(sharded(*arguments)))
