"""Every learning algorithm is sharded, vmapped over a population and resumed as AlphaZero is."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from trees import assert_close, assert_same

from azjax.runs.storage.checkpoints import Checkpoints
from azjax.search import Policy
from azjax.support.component import component_names
from azjax.support.machine.devices import make_mesh
from azjax.training import Reanalyse, compile_iteration, get_member, state_shardings
from azjax.training.algorithms.klent import Klent
from azjax.training.state import Replay

from . import tiny, tiny_muzero
from .tiny import PROGRESS, as_float32, without_key

pytestmark = pytest.mark.slow

CONFIGS = {
    "alphazero": tiny.with_parts(tiny.CONFIG, Reanalyse(moves=4)),
    "muzero": tiny_muzero.CONFIG,
    "klent": dataclasses.replace(tiny.CONFIG, algorithm=Klent(), search=Policy()),
    "policy_gradient": tiny.POLICY_GRADIENT,
    "reinforced_policy": tiny.REINFORCED,
    "supervised_policy": tiny.SUPERVISED,
    "policy_value": tiny.VALUE,
}
ITERATIONS, HALF = 4, 2


def start(config, seed):
    """Returns the first state of a run, with games in replay where none are played."""
    state = tiny.start(config, seed)
    if config.replay is None:
        return state
    moves = state.replay.trajectory
    weights = jnp.ones_like(moves.action_weights) / moves.action_weights.shape[-1]
    filled = moves._replace(action_weights=weights)
    return state._replace(replay=Replay(filled, jnp.int32(config.replay_moves)))


def start_population(config, mesh, seeds):
    """Returns the states of runs with these seeds, sharded over a mesh."""
    states = [start(config, seed) for seed in seeds]
    stacked = jax.tree.map(lambda *x: jnp.stack(x), *states)
    return jax.device_put(stacked, state_shardings(config, mesh))


def train(config, iterate, states, num_iterations):
    """Returns the states of a population after some iterations, and the metrics of the last."""
    size = len(states.iteration)
    numbers = jax.tree.map(lambda x: np.full(size, x), as_float32(config))
    for _ in range(num_iterations):
        states, metrics = iterate(numbers, np.full(size, True), states, np.full(size, PROGRESS))
    return states, metrics


def in_numpy(trained, member):
    """Returns the state and the metrics of a member, in NumPy."""
    states, metrics = trained
    state = without_key(get_member(states, member))
    return jax.device_get((state, get_member(metrics, member)))


@pytest.fixture(scope="module", params=CONFIGS)
def config(request):
    return CONFIGS[request.param]


@pytest.fixture(scope="module")
def iterate(config):
    """Returns the compiled iteration of two runs on two devices."""
    return compile_iteration(config, make_mesh(2), num_vmapped=2)


@pytest.fixture(scope="module")
def halfway(config, iterate):
    """Returns the states of two runs on two devices in the middle."""
    return train(config, iterate, start_population(config, make_mesh(2), [1, 0]), HALF)[0]


@pytest.fixture(scope="module")
def end(config, iterate, halfway):
    """Returns the states of the same runs at their ends, and their metrics."""
    return train(config, iterate, jax.tree.map(jnp.copy, halfway), ITERATIONS - HALF)


def test_no_algorithm_is_left_out():
    assert set(CONFIGS) == set(component_names("algorithm"))


def test_runs_go_on_from_their_checkpoints_bit_for_bit(config, iterate, halfway, end, tmp_path):
    restored = []
    for member in (0, 1):
        state = get_member(halfway, member)
        checkpoints = Checkpoints(tmp_path / str(member))
        checkpoints.save(state, accuracy=None)
        restored.append(checkpoints.restore(jax.eval_shape(lambda state=state: state)).state)
        checkpoints.close()
    states = jax.tree.map(lambda *x: jnp.stack(x), *restored)
    states = jax.device_put(states, state_shardings(config, make_mesh(2)))
    after = train(config, iterate, states, ITERATIONS - HALF)
    for member in (0, 1):
        assert_same(in_numpy(after, member), in_numpy(end, member))


def test_a_run_on_two_devices_beside_another_one_is_that_of_one_device_alone(config, end):
    alone = start(config, 0)
    for _ in range(ITERATIONS):
        alone, metrics = tiny.iterate(config, alone)
    state, metrics_of_two = in_numpy(end, 1)
    assert_close(jax.device_get(without_key(alone)), state)
    if config.algorithm.name == "alphazero":  # others have means over numbers that devices split
        assert_close(jax.device_get(metrics), metrics_of_two)
