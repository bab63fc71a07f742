"""Every learning algorithm is sharded, vmapped over a population and resumed as AlphaZero is."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from trees import assert_close

from azjax.networks import NetworkConfig
from azjax.runs.storage.checkpoints import Checkpoints
from azjax.search import SearchConfig
from azjax.support.machine.devices import make_mesh
from azjax.training import compile_iteration, get_member, init_train_state, state_shardings
from azjax.training.algorithms.registry import algorithm_names, get_algorithm
from azjax.training.state import Replay

from . import tiny, tiny_muzero
from .tiny import SHARE, as_float32, without_key

pytestmark = pytest.mark.slow

POLICY = NetworkConfig("mlp", channels=16, blocks=1, value_head="none")
ROUNDS = {"num_moves": 8, "replay_moves": 8, "num_updates": 2, "batch_size": 32}
CONFIGS = {
    "alphazero": tiny.CONFIG,
    "muzero": tiny_muzero.CONFIG,
    "policy_gradient": dataclasses.replace(
        tiny.CONFIG,
        algorithm="policy_gradient",
        network=POLICY,
        search=SearchConfig("policy_rollouts", num_simulations=10),
        **ROUNDS,
    ),
    "reinforced_policy": dataclasses.replace(
        tiny.CONFIG,
        algorithm="reinforced_policy",
        network=POLICY,
        search=SearchConfig(),
        pool_size=2,
        pool_interval=1,
        **ROUNDS,
    ),
    "supervised_policy": dataclasses.replace(
        tiny.CONFIG, algorithm="supervised_policy", network=POLICY, search=SearchConfig(), **ROUNDS
    ),
    "policy_value": dataclasses.replace(
        tiny.CONFIG, algorithm="policy_value", search=SearchConfig("policy"), num_updates=2
    ),
}
NUMBERS = as_float32(tiny.HYPERPARAMETERS)
ITERATIONS, HALF = 4, 2


def start(config, seed):
    """Returns the first state of a run, with games in replay where none are played."""
    state = init_train_state(config, NUMBERS, jax.random.key(seed))
    if not get_algorithm(config.algorithm).learns_from_games:
        return state
    moves = state.replay.trajectory
    weights = jnp.ones_like(moves.action_weights) / moves.action_weights.shape[-1]
    filled = moves._replace(action_weights=weights)
    return state._replace(replay=Replay(filled, jnp.int32(config.replay_moves)))


def start_population(config, mesh, seeds):
    """Returns the states of runs with these seeds, sharded over a mesh."""
    states = [start(config, seed) for seed in seeds]
    stacked = jax.tree.map(lambda *x: jnp.stack(x), *states)
    return jax.device_put(stacked, state_shardings(mesh))


def train(iterate, states, num_iterations):
    """Returns the states of a population after some iterations."""
    size = len(states.iteration)
    numbers = jax.tree.map(lambda x: np.full(size, x), NUMBERS)
    for _ in range(num_iterations):
        states, _ = iterate(numbers, np.full(size, True), states, np.full(size, SHARE))
    return states


@pytest.fixture(scope="module", params=CONFIGS)
def config(request):
    return CONFIGS[request.param]


@pytest.fixture(scope="module")
def iterate(config):
    """Returns the compiled iteration of one run on two devices."""
    return compile_iteration(config, make_mesh(2))


@pytest.fixture(scope="module")
def halfway(config, iterate):
    """Returns the state of one run on two devices in the middle."""
    return train(iterate, start_population(config, make_mesh(2), [0]), HALF)


@pytest.fixture(scope="module")
def end(iterate, halfway):
    """Returns the state of the same run at its end."""
    copied = jax.tree.map(jnp.copy, halfway)
    return jax.device_get(without_key(get_member(train(iterate, copied, ITERATIONS - HALF), 0)))


def test_no_algorithm_is_left_out():
    assert set(CONFIGS) == set(algorithm_names())


def test_a_run_goes_on_from_its_checkpoint_bit_for_bit(config, iterate, halfway, end, tmp_path):
    state = get_member(halfway, 0)
    checkpoints = Checkpoints(tmp_path)
    checkpoints.save(state, accuracy=None)
    restored = checkpoints.restore(jax.eval_shape(lambda: state)).state
    checkpoints.close()
    states = jax.device_put(
        jax.tree.map(lambda x: x[None], restored), state_shardings(make_mesh(2))
    )
    after = without_key(get_member(train(iterate, states, ITERATIONS - HALF), 0))
    jax.tree.map(np.testing.assert_array_equal, jax.device_get(after), end)


def test_two_devices_give_the_run_of_one(config, end):
    mesh = make_mesh(1)
    states = train(compile_iteration(config, mesh), start_population(config, mesh, [0]), ITERATIONS)
    assert_close(jax.device_get(without_key(get_member(states, 0))), end)


def test_a_run_is_the_same_beside_another_one(config, end):
    mesh = make_mesh(2)
    states = start_population(config, mesh, [1, 0])
    states = train(compile_iteration(config, mesh, num_vmapped=2), states, ITERATIONS)
    assert_close(jax.device_get(without_key(get_member(states, 1))), end)
