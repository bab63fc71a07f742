"""The iteration sharded over devices: one and two give the same run."""

import dataclasses
import functools

import jax
import numpy as np
import optax
import pytest
from jax.sharding import PartitionSpec
from trees import assert_close

from azjax.networks import MLPConfig
from azjax.support.machine.devices import AXIS, make_mesh
from azjax.training import compile_iteration, make_context, state_shardings
from azjax.training.learner import init_learner, learn
from azjax.training.state import Replay, TrainState

from .tiny import CONFIG, PROGRESS, SUPERVISED, run, start


@pytest.mark.slow
def test_batch_statistics_and_gradients_are_those_of_the_whole_batch():
    """Compares one update: Adam amplifies the rounding errors of biases before the norm."""
    network = MLPConfig(channels=16, blocks=1, norm="batch")
    context = make_context(dataclasses.replace(CONFIG, network=network, num_updates=1), AXIS)
    learner = jax.jit(functools.partial(init_learner, context))(jax.random.key(0))
    replicated = PartitionSpec()
    replay_spec = Replay(PartitionSpec(None, AXIS), replicated)

    def learn_from(learner, *arguments):
        state = TrainState(learner, *6 * [None], parts={})
        learner, _, progress = learn(context, state, *arguments)
        return learner, progress

    def learn_on(num_devices):
        sharded = jax.shard_map(
            learn_from,
            mesh=make_mesh(num_devices),
            in_specs=(replicated, replay_spec, replicated, replicated),
            out_specs=replicated,
            check_vma=False,
        )
        replay = run(2).states[-1].replay
        return jax.device_get(jax.jit(sharded)(learner, replay, jax.random.key(0), PROGRESS))

    (one, one_progress), (two, two_progress) = learn_on(1), learn_on(2)
    assert_close(one_progress, two_progress, 1e-5)
    assert_close(one.variables.batch_stats, two.variables.batch_stats, 1e-5)
    assert_close(optax.tree.get(one.opt_state, "mu"), optax.tree.get(two.opt_state, "mu"), 1e-6)
    before, after = learner.variables.batch_stats, one.variables.batch_stats
    assert np.abs(after["stem_norm"]["mean"] - before["stem_norm"]["mean"]).max() > 0.01
    assert one_progress.gradient_norm > 0.1


def test_the_iteration_donates_its_state_and_nothing_else():
    mesh = make_mesh(2)
    numbers = jax.tree.map(lambda x: np.float32([x]), SUPERVISED)
    state = jax.tree.map(lambda x: x[None], start(SUPERVISED))
    population = jax.device_put(state, state_shardings(SUPERVISED, mesh))
    traced = compile_iteration(SUPERVISED, mesh).trace(
        numbers, np.array([True]), population, PROGRESS[None]
    )
    (numbers, _, donated, _), _ = traced.args_info
    assert all(leaf.donated for leaf in jax.tree.leaves(donated))
    assert not any(leaf.donated for leaf in jax.tree.leaves(numbers))
