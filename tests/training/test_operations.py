"""Operations counted in the program are those of the network's layers."""

import math

import jax
import jax.numpy as jnp

from azjax.training.operations import count_iteration, count_operations

from .tiny import CONFIG, NETWORK


def test_an_iteration_evaluates_each_position_and_simulation_and_learns_each_sample():
    kernels = [x.size for x in jax.tree.leaves(NETWORK.shapes.params) if x.ndim > 1]
    evaluation = 2 * (sum(kernels) - 2 * 16)  # two of the blocks' biases are [1, 16]
    evaluations = CONFIG.positions_per_iteration * (1 + CONFIG.search.num_simulations)
    samples = CONFIG.num_updates * CONFIG.batch_size
    assert count_iteration(CONFIG) == (evaluations * evaluation, samples * 3 * evaluation)


def test_loops_alternatives_and_convolutions_are_counted():
    x = jnp.ones((4, 4))

    def program(x, is_long):
        rounds = jax.lax.fori_loop(0, 5, lambda i, x: x @ x, x)
        image = jax.lax.conv(rounds[None, None], jnp.ones((2, 1, 3, 3)), (1, 1), "SAME")
        return jax.lax.cond(is_long, lambda: rounds @ x @ x, lambda: rounds @ x), image

    assert count_operations(program, x, True) == (5 + 2) * 2 * 4**3 + 2 * 16 * 2 * 9


def test_a_loop_of_unknown_length_is_not_counted():
    def program(x, length):
        return jax.lax.fori_loop(0, length, lambda i, x: x @ x, x)

    assert math.isnan(count_operations(program, jnp.ones((4, 4)), 3))
