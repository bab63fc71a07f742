"""What a simulation does to the arrays of its trees."""

import re

import jax
import jax.numpy as jnp

from azjax.games import make

from .searching import UNIFORM, make_search, random_positions, search_game

NUM_SIMULATIONS = 77
OF_ALL_NODES = re.compile(rf"\w+\[{NUM_SIMULATIONS + 1},\S* copy\(")


def test_no_array_of_all_nodes_is_copied():
    """A copy in each simulation makes the time of a search quadratic."""
    states = random_positions("tic_tac_toe")
    find = search_game(make("tic_tac_toe"))
    config = make_search("uct", NUM_SIMULATIONS, proven_values=True)
    keys = jax.random.split(jax.random.key(0), len(states.terminated))

    def choose(keys, states):
        return find(config, UNIFORM, keys, states, roots_alone=True).action

    program = jax.jit(choose).lower(keys, jax.tree.map(jnp.asarray, states)).compile().as_text()
    assert f"[{NUM_SIMULATIONS + 1}," in program
    assert OF_ALL_NODES.findall(program) == []
