"""Searches as components: their fields, own searches, and what those return wrongly."""

import dataclasses
import re
from typing import Any

import jax
import numpy as np
import pytest

from azjax.games import make
from azjax.search import PUCT, UCT, Gumbel, Policy
from azjax.support.errors import InputError

from .searching import BATCH, EvaluationParams, random_positions, search_game

PARAMS = EvaluationParams(logits=np.zeros(9, np.float32), variation=np.float32(0.8))


@pytest.mark.parametrize(
    ("kind", "fields", "message"),
    [
        (UCT, {"num_simulations": 0}, "num_simulations=0: must be at least 1"),
        (Policy, {"num_simulations": 2**21}, "num_simulations=2097152: must be at most 1048576"),
        (UCT, {"sampled_actions": -1}, "sampled_actions=-1: must be at least 0"),
    ],
)
def test_a_bad_field_is_refused_in_one_line(kind, fields, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        kind(**fields)


def test_without_noise_changes_nothing_but_the_noise():
    gumbel = Gumbel(num_simulations=3, gumbel_scale=1.5, value_scale=0.2)
    assert gumbel.without_noise() == dataclasses.replace(gumbel, gumbel_scale=0.0)
    puct = PUCT(dirichlet_alpha=0.7, dirichlet_fraction=0.5, c_puct=2.0)
    assert puct.without_noise() == dataclasses.replace(puct, dirichlet_fraction=0.0)
    assert UCT().without_noise() == UCT()


def searched(config: Any, **options: Any) -> Any:
    """Returns the types of what a search returns."""
    keys = jax.random.split(jax.random.key(2), BATCH)
    find, states = search_game(make("tic_tac_toe")), random_positions("tic_tac_toe")
    return jax.eval_shape(lambda *x: find(*x, **options), config, PARAMS, keys, states)


@dataclasses.dataclass(frozen=True)
class ReturnsFloats(Policy):
    name = "wrong"

    def __call__(self, *arguments, roots_alone=False):
        return super().__call__(*arguments)._replace(action=np.zeros(3))


@dataclasses.dataclass(frozen=True)
class SelectsNone(UCT):
    def select_at_interior(self, node, index):
        return None


@dataclasses.dataclass(frozen=True)
class PreparesValues(UCT):
    def prepare_root(self, keys, extra_data, prior_logits):
        return prior_logits.max(axis=1)


@dataclasses.dataclass(frozen=True)
class BacksUpOtherStatistics(UCT):
    def init_statistics(self, evaluation):
        return {"best": evaluation.value}

    def back_up(self, node, value):
        return value, {"best": node.children_values[0]}


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (
            ReturnsFloats,
            rf"^action of search 'wrong' is float32\[3\]: must be an array \[{BATCH}\], integer",
        ),
        (SelectsNone, r"^result of select_at_root is None: must be an array \[\], integer"),
        (PreparesValues, rf"^result of prepare_root is float32\[{BATCH}\]: must be an array \["),
        (
            BacksUpOtherStatistics,
            r"^statistics of back_up are {'best': 'float32\[9\]'}: must be {'best': 'float32\[\]'}",
        ),
    ],
)
def test_a_search_that_returns_something_else_is_refused_in_one_line(wrong, message):
    with pytest.raises(InputError, match=message):
        searched(wrong(num_simulations=4))
