"""Every learning algorithm is sharded, vmapped over a population and resumed as AlphaZero is."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from trees import assert_close, assert_same

from azjax.runs.storage.checkpoints import Checkpoints
from azjax.search import Policy, PolicyRollouts
from azjax.support.component import component_names
from azjax.support.machine.devices import make_mesh
from azjax.training import (
    PolicyGradient,
    PolicyValue,
    Reanalyse,
    ReinforcedPolicy,
    SupervisedPolicy,
    compile_iteration,
    get_member,
    state_shardings,
)
from azjax.training.state import Replay

from . import tiny, tiny_muzero
from .tiny import POLICY, PROGRESS, as_float32, without_key

pytestmark = pytest.mark.slow

ROUNDS = {"num_moves": 8, "replay_moves": 8, "num_updates": 2, "batch_size": 32}
OF_POLICY = dataclasses.replace(tiny.CONFIG, network=POLICY, **ROUNDS)
CONFIGS = {
    "alphazero": tiny.CONFIG,
    "muzero": tiny.with_parts(tiny_muzero.CONFIG, Reanalyse(moves=4)),
    "policy_gradient": dataclasses.replace(
        OF_POLICY, algorithm=PolicyGradient(), search=PolicyRollouts(num_simulations=10)
    ),
    "reinforced_policy": dataclasses.replace(
        OF_POLICY, algorithm=ReinforcedPolicy(pool_size=2, pool_interval=1)
    ),
    "supervised_policy": dataclasses.replace(OF_POLICY, algorithm=SupervisedPolicy(), parts=()),
    "policy_value": dataclasses.replace(
        tiny.CONFIG, algorithm=PolicyValue(), search=Policy(), num_updates=2
    ),
}
ITERATIONS, HALF = 4, 2


def start(config, seed):
    """Returns the first state of a run, with games in replay where none are played."""
    state = tiny.start(config, seed)
    if not config.algorithm.learns_from_games:
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
    mesh = make_mesh(1)
    alone = train(
        config, compile_iteration(config, mesh), start_population(config, mesh, [0]), ITERATIONS
    )
    (state, metrics), (expected, expected_metrics) = in_numpy(alone, 0), in_numpy(end, 1)
    assert_close(state, expected)
    if (
        config.algorithm.name == "alphazero"
    ):  # others have means of what differs in number by device
        assert_close(metrics, expected_metrics)
