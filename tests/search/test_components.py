"""Searches as components: their fields, own searches, and what those return wrongly."""

import dataclasses
import re
from typing import Any

import jax
import numpy as np
import pytest

from azjax.games import make
from azjax.search import PUCT, UCT, Gumbel, MctxGumbel, Policy, Search
from azjax.support.component import component_names, get_component, plugin_of, register
from azjax.support.errors import InputError

from .searching import BATCH, EvaluationParams, random_positions, search_game

PARAMS = EvaluationParams(logits=np.zeros(9, np.float32), variation=np.float32(0.8))


@pytest.mark.parametrize(
    ("kind", "fields", "message"),
    [
        (UCT, {"num_simulations": 0}, "num_simulations=0: must be at least 1"),
        (Policy, {"num_simulations": 2**21}, "num_simulations=2097152: must be at most 1048576"),
        (UCT, {"sampled_actions": -1}, "sampled_actions=-1: must be at least 0"),
        *(
            (
                kind,
                {"max_num_considered_actions": 0},
                "max_num_considered_actions=0: must be at least 1",
            )
            for kind in (Gumbel, MctxGumbel)
        ),
    ],
)
def test_a_bad_field_is_refused_in_one_line(kind, fields, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        kind(**fields)


def test_the_built_in_searches_are_registered():
    names = "gumbel", "puct", "uct", "policy", "policy_rollouts", "mctx_gumbel", "mctx_puct"
    assert component_names("search")[: len(names)] == [*names]
    assert all(plugin_of(get_component("search", name)()) is None for name in names)


def test_without_noise_changes_nothing_but_the_noise():
    gumbel = Gumbel(num_simulations=3, gumbel_scale=1.5, value_scale=0.2)
    assert gumbel.without_noise() == dataclasses.replace(gumbel, gumbel_scale=0.0)
    puct = PUCT(dirichlet_alpha=0.7, dirichlet_fraction=0.5, c_puct=2.0)
    assert puct.without_noise() == dataclasses.replace(puct, dirichlet_fraction=0.0)
    assert UCT().without_noise() == UCT()


def test_only_the_search_that_is_none_makes_no_simulations():
    assert UCT(num_simulations=5).simulations_made == 5
    assert Policy(num_simulations=5).simulations_made == 0


@dataclasses.dataclass(frozen=True)
class OwnSearch(Search):
    """A search as a researcher writes one, with a number of its own."""

    name = "own"

    c_own: float = 2.0

    def __call__(self, model, params, keys, states, *, roots_alone=False):
        puct = PUCT(num_simulations=self.num_simulations, c_puct=self.c_own)
        return puct(model, params, keys, states)


def searched(config: Any, **options: Any) -> Any:
    """Returns the types of what a search returns."""
    keys = jax.random.split(jax.random.key(2), BATCH)
    find = search_game(make("tic_tac_toe"))
    return jax.eval_shape(lambda *x: find(*x, **options), config, PARAMS, keys, STATES)


STATES = random_positions("tic_tac_toe")


@pytest.mark.usefixtures("registrations")
def test_an_own_search_is_registered_and_searches():
    register(OwnSearch)
    config = get_component("search", "own")(num_simulations=4)
    assert plugin_of(config) == __name__
    assert searched(config).tree.node_visits.shape == (BATCH, 5)
    assert searched(config, roots_alone=True).tree.node_visits.shape == (BATCH, 1)


@dataclasses.dataclass(frozen=True)
class ReturnsNone(Search):
    name = "wrong"

    def __call__(self, model, params, keys, states, *, roots_alone=False):
        return None


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
class ChoosesWithoutWeights(UCT):
    def choose(self, roots, prior_logits):
        return super().choose(roots, prior_logits)[0]


@dataclasses.dataclass(frozen=True)
class PreparesValues(UCT):
    def prepare_root(self, keys, extra_data, prior_logits):
        return prior_logits.max(axis=1)


@dataclasses.dataclass(frozen=True)
class HasStatisticsOfNoBatch(UCT):
    def init_statistics(self, evaluation):
        return evaluation.value[1:]


@dataclasses.dataclass(frozen=True)
class BacksUpOtherStatistics(UCT):
    def init_statistics(self, evaluation):
        return {"best": evaluation.value}

    def back_up(self, node, value):
        return value, {"best": node.children_values[0]}


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (ReturnsNone, "^result of search 'wrong' is None: must be of type SearchResult"),
        (
            ReturnsFloats,
            rf"^action of search 'wrong' is float32\[3\]: must be an array \[{BATCH}\], integer",
        ),
        (SelectsNone, r"^result of select_at_root is None: must be an array \[\], integer"),
        (ChoosesWithoutWeights, rf"^result of choose is int32\[{BATCH}\]: must be a tuple of 2"),
        (PreparesValues, rf"^result of prepare_root is float32\[{BATCH}\]: must be an array \["),
        (HasStatisticsOfNoBatch, r"^result of init_statistics .* \[15\]: must begin with the b"),
        (
            BacksUpOtherStatistics,
            r"^statistics of back_up are {'best': 'float32\[9\]'}: must be {'best': 'float32\[\]'}",
        ),
    ],
)
def test_a_search_that_returns_something_else_is_refused_in_one_line(wrong, message):
    with pytest.raises(InputError, match=message):
        searched(wrong(num_simulations=4))


def test_a_name_that_is_none_is_refused_with_a_suggestion():
    with pytest.raises(ValueError, match="no search is named 'pucct'; did you mean 'puct'"):
        get_component("search", "pucct")
