"""What a simulation does to the arrays of its trees."""

import re

import jax
import jax.numpy as jnp
import pytest

from azjax.games import make
from azjax.search import SearchHyperparameters

from .searching import UNIFORM, make_search, random_positions

NUM_SIMULATIONS = 77
OF_ALL_NODES = re.compile(rf"\w+\[{NUM_SIMULATIONS + 1},\S* copy\(")


@pytest.mark.parametrize(
    "sizes",
    [pytest.param({}, marks=pytest.mark.slow), {"proven_values": True}],
    ids=["plain", "proven"],
)
def test_no_array_of_all_nodes_is_copied(sizes):
    """A copy in each simulation makes the time of a search quadratic."""
    states = random_positions("tic_tac_toe")
    find = make_search(make("tic_tac_toe"), "uct", NUM_SIMULATIONS, **sizes)
    keys = jax.random.split(jax.random.key(0), len(states.terminated))

    def choose(keys, states):
        return find(SearchHyperparameters(), UNIFORM, keys, states, roots_alone=True).action

    program = jax.jit(choose).lower(keys, jax.tree.map(jnp.asarray, states)).compile().as_text()
    assert f"[{NUM_SIMULATIONS + 1}," in program
    assert OF_ALL_NODES.findall(program) == []
