"""Many runs as one program: each is what it would be alone."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from azjax.training import train_iteration

from .tiny import (
    CONFIG,
    HYPERPARAMETERS,
    as_float32,
    assert_close,
    quick_jit,
    run,
    start,
    without_key,
)

MEMBERS = [(0, 1e-3), (1, 3e-3), (0, 3e-3)]  # seed and learning rate


@pytest.fixture(scope="module")
def population():
    """Returns the states of all members after two iterations, and their metrics."""
    rates = np.float32([rate for _, rate in MEMBERS])
    hyperparameters = as_float32(HYPERPARAMETERS)._replace(learning_rate=rates)
    axes = jax.tree.map(lambda _: None, HYPERPARAMETERS)._replace(learning_rate=0)
    iterate = quick_jit(jax.vmap(functools.partial(train_iteration, CONFIG), in_axes=(axes, 0)))
    states = jax.tree.map(lambda *x: jnp.stack(x), *(start(seed=seed) for seed, _ in MEMBERS))
    for _ in range(2):
        states, metrics = iterate(hyperparameters, states)
    return jax.device_get((without_key(states), metrics))


@pytest.mark.parametrize("member", range(len(MEMBERS)))
def test_a_member_is_what_it_is_alone(population, member):
    seed, rate = MEMBERS[member]
    alone = run(2, seed=seed, learning_rate=rate)
    state, metrics = jax.tree.map(lambda x: x[member], population)
    assert_close(state, without_key(alone.states[-1]))
    assert_close(metrics, alone.metrics[-1])


def test_members_of_one_seed_differ_by_their_learning_rate_only_in_what_is_learnt(population):
    states, _ = population
    first, third = (jax.tree.map(lambda x, i=i: x[i], states) for i in (0, 2))
    rows = slice(0, CONFIG.num_moves)  # the first iteration's games came before any learning
    board = first.replay.trajectory.state.board
    np.testing.assert_array_equal(board[rows], third.replay.trajectory.state.board[rows])
    assert not np.allclose(
        first.learner.variables.parameters["stem"]["kernel"],
        third.learner.variables.parameters["stem"]["kernel"],
        atol=1e-4,
    )
