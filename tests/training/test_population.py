"""Many runs as one program: each equals the run trained alone."""

import contextlib
import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from trees import assert_close, assert_same

from azjax.support.machine.target import compiling_for
from azjax.training import get_member, iterate_population, set_member

from .tiny import CONFIG, PROGRESS, as_float32, change, run, start, without_key

pytestmark = pytest.mark.slow

MEMBERS = [(0, 1e-3), (1, 3e-3), (0, 3e-3)]  # seed and learning rate


SHARES = np.full(len(MEMBERS), PROGRESS)
CONFIGS = [change(CONFIG, optimizer={"learning_rate": rate}) for _, rate in MEMBERS]
NUMBERS = jax.tree.map(lambda *x: np.stack(x), *map(as_float32, CONFIGS))


def first_states():
    return jax.tree.map(lambda *x: jnp.stack(x), *(start(seed=seed) for seed, _ in MEMBERS))


class Accelerator:
    platform = "gpu"


@functools.cache
def compiled(num_vmapped, device=None):
    def iterate(*arguments):
        with compiling_for(device) if device else contextlib.nullcontext():
            return iterate_population(num_vmapped, *arguments)

    return jax.jit(iterate)


PROGRAMS = {"one by one": (1,), "at once, as for a GPU": (3, Accelerator())}


@pytest.fixture(scope="module", params=PROGRAMS)
def iterate(request):
    return compiled(*PROGRAMS[request.param])


@pytest.fixture(scope="module")
def population(iterate):
    """Returns the states of all members after two iterations, and their metrics."""
    states = first_states()
    for _ in range(2):
        states, metrics = iterate(NUMBERS, np.full(len(MEMBERS), True), states, SHARES)
    return jax.device_get((without_key(states), metrics))


def test_a_member_equals_the_run_trained_alone(population):
    for member, (seed, _) in enumerate(MEMBERS):
        alone = run(2, seed, CONFIGS[member])
        state, metrics = jax.tree.map(lambda x, member=member: x[member], population)
        assert_close(state, without_key(alone.states[-1]))
        assert_close(metrics, alone.metrics[-1])
    first, _, third = population[0].learner.variables.params["stem"]["kernel"]
    assert not np.allclose(first, third, atol=1e-4)  # of one seed, and other learning rates


def test_a_member_that_is_not_active_is_unchanged_and_the_others_continue(iterate):
    before = first_states()
    is_active = np.array([True, False, True])
    after, metrics = iterate(NUMBERS, is_active, before, SHARES)
    unchanged = without_key(get_member(after, 1))
    assert_same(jax.device_get(unchanged), jax.device_get(without_key(get_member(before, 1))))
    assert after.iteration.tolist() == [1, 0, 1]
    assert metrics.loss[1] == 0
    assert_close(get_member(metrics, 0), run(1, config=CONFIGS[0]).metrics[-1])


def test_set_member_writes_one_slot_and_get_member_reads_it():
    states, state = first_states(), run(1).states[-1]
    changed = jax.jit(set_member)(states, state, 1)
    assert_same(without_key(get_member(changed, 1)), without_key(state))
    for slot in (0, 2):
        assert_same(without_key(get_member(changed, slot)), without_key(get_member(states, slot)))
