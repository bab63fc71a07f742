"""Algorithms of one's own whose functions return something else."""

import dataclasses
import functools

import jax
import jax.numpy as jnp
import pytest

from azjax.support.errors import InputError
from azjax.training import alphazero, init_train_state, register_algorithm, train_iteration

from .tiny import CONFIG, HYPERPARAMETERS, SHARE, as_float32


@pytest.mark.usefixtures("registrations")
@pytest.mark.parametrize(
    ("function", "result", "message"),
    [
        ("play", None, "^result of the algorithm's play is None: must be a tuple of 3"),
        ("loss", None, "^result of the algorithm's loss is None: must be a tuple of 2"),
        ("loss", (jnp.ones(2), ()), r"loss\[0\] is float32\[2\]: must be an array \[\], floating"),
        ("loss", (1.0, (0.5, {})), r"loss\[0\] is ~?float32\[\]: must be of type Losses"),
    ],
)
def test_what_is_returned_is_named_in_one_line(function, result, message):
    wrong = dataclasses.replace(alphazero, **{function: lambda *arguments: result})
    register_algorithm("wrong", wrong)
    config = dataclasses.replace(CONFIG, algorithm="wrong")
    numbers = as_float32(HYPERPARAMETERS)
    start = functools.partial(init_train_state, config)
    state = jax.eval_shape(start, numbers, jax.random.key(0))
    with pytest.raises(InputError, match=message):
        jax.eval_shape(functools.partial(train_iteration, config), numbers, state, SHARE)
