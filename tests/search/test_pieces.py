"""A search in pieces equals the search in one program."""

import functools

import jax
import numpy as np
import pytest

from azjax.games import make
from azjax.search import SearchPieces, rules_model

from .searching import (
    BATCH,
    EvaluationParams,
    evaluate,
    legal_actions,
    make_search,
    random_positions,
    searcher,
    with_numbers,
)

GAME = make("tic_tac_toe")
MODEL = rules_model(GAME, functools.partial(evaluate, GAME))
PARAMS = EvaluationParams(
    np.zeros(GAME.num_actions, np.float32), np.uint32(0), np.float32(0.8), np.float32(0)
)
NOISE = {"gumbel_scale": 1.0, "dirichlet_fraction": 0.25}


def keys():
    return jax.random.split(jax.random.key(2), BATCH)


def as_array(x):
    is_key = jax.numpy.issubdtype(x.dtype, jax.dtypes.prng_key)
    return np.asarray(jax.random.key_data(x) if is_key else x)


def assert_equal(first, second):
    for one, other in zip(jax.tree.leaves(first), jax.tree.leaves(second), strict=True):
        one, other = as_array(one), as_array(other)
        if one.dtype == np.float32:  # programs round noisy priors, and sums of values, differently
            np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-7)
        else:
            np.testing.assert_array_equal(one, other)


class Pieces:
    """A search in pieces, each compiled once."""

    def __init__(self, algorithm, num_simulations):
        self.search = with_numbers(make_search(algorithm, num_simulations), **NOISE)
        self.pieces = SearchPieces(MODEL)

    def __call__(self, states, *sizes):
        state = self.pieces.init(self.search, PARAMS, keys(), states)
        for size in sizes:
            state = self.pieces.run(self.search, PARAMS, state, size)
        return self.pieces.finish(self.search, state)


@functools.cache
def pieces_of(algorithm):
    return Pieces(algorithm, 128)  # of 9 actions Gumbel halves after 36, ... simulations


@pytest.mark.parametrize("algorithm", ["gumbel", pytest.param("puct", marks=pytest.mark.slow)])
def test_pieces_of_a_search_equal_one_program(algorithm):
    states = random_positions("tic_tac_toe")
    pieces = pieces_of(algorithm)
    find, params = searcher("tic_tac_toe", algorithm), EvaluationParams(variation=0.8)
    expected = find(states, params, keys=keys(), **NOISE)
    assert (np.asarray(expected.tree.node_visits[:, 0]) == 129).all()
    assert_equal(pieces(states, 128), expected)
    assert_equal(pieces(states, 5, 1, 37, 85), expected)
    assert_equal(pieces(states, 100, 100), expected)  # runs no more than the search's simulations


def test_a_search_may_be_finished_early():
    states = random_positions("tic_tac_toe")
    result = pieces_of("gumbel")(states, 16)
    assert (np.asarray(result.tree.node_visits[:, 0]) == 17).all()
    legal = legal_actions(GAME, states)
    weights = np.asarray(result.action_weights)
    np.testing.assert_allclose(weights.sum(axis=1), 1, rtol=1e-5)
    assert (weights[~legal] == 0).all()
    assert legal[np.arange(BATCH), np.asarray(result.action)].all()
