"""Algorithms of one's own whose functions return something else."""

import dataclasses

import jax
import jax.numpy as jnp
import pytest

from azjax.support.component import register
from azjax.support.errors import InputError
from azjax.training import AlphaZero, init_train_state, train_iteration
from azjax.training.state import Losses

from .tiny import CONFIG, PROGRESS


@pytest.mark.usefixtures("registrations")
@pytest.mark.parametrize(
    ("function", "result", "message"),
    [
        ("play", None, "^result of the algorithm's play is None: must be a tuple of 3"),
        (
            "loss",
            (Losses(jnp.ones(2), 0.0, 0.0, {}), {}),
            r"minimizes is float32\[2\]: must be an array \[\], floating",
        ),
    ],
)
def test_what_is_returned_is_named_in_one_line(function, result, message):
    members = {"name": "wrong", function: lambda *arguments: result}
    wrong = register(dataclasses.dataclass(frozen=True)(type("Wrong", (AlphaZero,), members)))
    config = dataclasses.replace(CONFIG, algorithm=wrong())
    state = jax.eval_shape(init_train_state, config, jax.random.key(0))
    with pytest.raises(InputError, match=message):
        jax.eval_shape(train_iteration, config, state, PROGRESS)
