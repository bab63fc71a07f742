"""The replay ring: insertion, sampling, and symmetries of samples."""

import dataclasses
import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import PartitionSpec

from azjax.games import make
from azjax.support.machine.devices import AXIS, make_mesh
from azjax.training import make_context
from azjax.training.replay import insert
from azjax.training.state import Positions, Replay, Trajectory
from azjax.training.targets import Targets

from .numbered_replay import GAMES, MANY, ROWS, numbered, sample_first
from .tiny import CONFIG, GAME

sample_many = jax.jit(functools.partial(sample_first, MANY))


@functools.cache
def compiled_symmetry(game):
    config = dataclasses.replace(CONFIG, game=game.name)
    return jax.jit(functools.partial(config.algorithm.make_batch, make_context(config)))


@functools.cache
def compiled_midgame(game):
    """Returns positions some moves after the start, their legal actions and observations."""

    @jax.jit
    def play(priorities):  # [moves, B, A]
        def move(states, priority):
            actions = (priority * jax.vmap(game.legal_action_mask)(states)).argmax(axis=1)
            return jax.vmap(game.step)(states, actions.astype(jnp.int32)), None

        start = jax.vmap(game.init)(jax.random.split(jax.random.key(0), priorities.shape[1]))
        states, _ = jax.lax.scan(move, start, priorities)
        return states, jax.vmap(game.legal_action_mask)(states), jax.vmap(game.observe)(states)

    return play


def test_new_moves_overwrite_the_oldest():
    replay, _ = numbered(num_written=0)
    compiled = jax.jit(insert)
    for i in range(6):
        new = jax.tree.map(lambda x, i=i: np.full_like(x[:4], 1000 + i), replay.trajectory)
        replay = jax.device_get(compiled(replay, new))
        assert replay.num_written == 4 * (i + 1)
    expected = np.repeat([1004, 1005, 1002, 1003], 4)
    for leaf in jax.tree.leaves(replay.trajectory):
        np.testing.assert_array_equal(leaf.reshape(ROWS, -1)[:, 0], expected)
        np.testing.assert_array_equal(leaf.reshape(ROWS, -1)[:, -1], expected)


def test_all_fields_of_a_sample_are_of_one_position():
    samples = jax.device_get(sample_many(*numbered(ROWS), jax.random.key(0)))
    np.testing.assert_array_equal(samples.state, samples.targets.value)
    np.testing.assert_array_equal(
        samples.action_weights, samples.targets.value[:, None].repeat(9, 1)
    )


@pytest.mark.parametrize("num_written", [4, 20])
def test_samples_are_uniform_over_what_is_written(num_written):
    samples = jax.device_get(sample_many(*numbered(num_written), jax.random.key(num_written)))
    filled = min(num_written, ROWS) * GAMES
    counts = np.bincount(samples.state, minlength=ROWS * GAMES)
    assert (counts[filled:] == 0).all()
    expected = MANY.batch_size / filled
    assert (counts[:filled] > 0).all()
    # Chi-square over its degrees of freedom.
    assert np.square(counts[:filled] - expected).sum() / expected / filled == pytest.approx(
        1, abs=0.5
    )


def test_every_game_gives_the_same_share_of_a_batch_and_symmetries_are_uniform():
    samples = jax.device_get(sample_many(*numbered(ROWS), jax.random.key(1)))
    games = np.bincount(samples.state % GAMES, minlength=GAMES)
    assert games.sum() == MANY.batch_size
    np.testing.assert_array_equal(games, MANY.batch_size // GAMES)
    symmetries = np.bincount(samples.symmetry, minlength=8) / MANY.batch_size
    np.testing.assert_allclose(symmetries, 1 / 8, atol=0.02)


def test_without_symmetries_samples_are_not_transformed():
    plain = dataclasses.replace(MANY, symmetries=False)
    sample_plain = jax.jit(functools.partial(sample_first, plain))
    arguments = (*numbered(ROWS), jax.random.key(1))
    samples, with_symmetries = jax.device_get((sample_plain(*arguments), sample_many(*arguments)))
    assert (samples.symmetry == 0).all()
    np.testing.assert_array_equal(GAME.symmetries.cells[0], np.arange(9))
    np.testing.assert_array_equal(samples.state, with_symmetries.state)


def test_symmetry_is_independent_of_the_position():
    samples = jax.device_get(sample_many(*numbered(ROWS), jax.random.key(2)))
    for row in range(4):
        seen = samples.symmetry[samples.state // GAMES == row]
        np.testing.assert_allclose(np.bincount(seen, minlength=8) / len(seen), 1 / 8, atol=0.07)


def test_a_batch_does_not_depend_on_the_number_of_devices():
    sample_pairs = functools.partial(sample_first, dataclasses.replace(MANY, batch_size=8008))
    mesh, replay_spec = make_mesh(2), PartitionSpec(None, AXIS)
    sharded = jax.jit(
        jax.shard_map(
            functools.partial(sample_pairs, axis_name=AXIS),
            mesh=mesh,
            in_specs=(Replay(replay_spec, PartitionSpec()), replay_spec, PartitionSpec()),
            out_specs=PartitionSpec(AXIS),
            check_vma=False,
        )
    )
    arguments = (*numbered(12), jax.random.key(3))
    alone = jax.jit(sample_pairs)(*arguments)
    assert len(alone.symmetry) == 8008
    jax.tree.map(np.testing.assert_array_equal, alone, sharded(*arguments))


@pytest.mark.parametrize("name", ["tic_tac_toe", "connect_four"])
def test_a_symmetry_permutes_observation_legal_actions_and_weights_alike(name):
    game = make(name)
    num_symmetries, size = len(game.symmetries.cells), 48
    noise = np.random.default_rng(0).random((3, size, game.num_actions)) + 0.1
    states, legal, observed = jax.device_get(compiled_midgame(game)(noise))
    weights = np.random.default_rng(7).random(legal.shape) * legal
    weights = np.float32(weights / weights.sum(axis=1, keepdims=True))
    symmetry = np.arange(size, dtype=np.int32) % num_symmetries
    target = np.linspace(-1, 1, size, dtype=np.float32)
    state, weights_of_row, value = jax.tree.map(lambda x: x[None], (states, weights, target))
    moves = Trajectory(state, value, weights_of_row, value, value, value, {})
    positions = Positions(0 * symmetry, np.arange(size), symmetry, keys=None)
    arguments = Replay(moves, np.int32(1)), Targets(value, {}), positions
    seen = jax.device_get(compiled_symmetry(game)(*arguments))

    assert (seen.action_weights[~seen.legal] == 0).all()
    np.testing.assert_allclose(seen.action_weights.sum(axis=1), 1, atol=1e-5)
    np.testing.assert_array_equal(seen.targets.value, target)
    occupied = seen.observation.sum(axis=-1)
    empty = occupied[:, 0] == 0 if name == "connect_four" else occupied.reshape(size, -1) == 0
    np.testing.assert_array_equal(seen.legal, empty)  # of the transformed board
    observed = observed.reshape(size, -1, 2)
    for i, s in enumerate(symmetry):
        cells, actions = game.symmetries.cells[s], game.symmetries.actions[s]
        np.testing.assert_array_equal(seen.observation[i].reshape(-1, 2), observed[i][cells])
        np.testing.assert_array_equal(seen.action_weights[i], weights[i][actions])
    assert (seen.observation[:num_symmetries] != seen.observation[0]).any()
