"""A search in pieces equals the search in one program; registration of searches."""

import dataclasses
import functools

import jax
import numpy as np
import pytest

from azjax.games import make
from azjax.search import (
    SearchConfig,
    SearchHyperparameters,
    check_search_config,
    get_search,
    register_search,
    rules_model,
    search,
    used_hyperparameters,
)
from azjax.support.errors import InputError

from .searching import BATCH, EvaluationParams, evaluate, random_positions

GAME = make("tic_tac_toe")
MODEL = rules_model(GAME, functools.partial(evaluate, GAME))
HYPERPARAMETERS = jax.tree.map(np.float32, SearchHyperparameters())
PARAMS = EvaluationParams(
    np.zeros(GAME.num_actions, np.float32), np.uint32(0), np.float32(0.8), np.float32(0)
)


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
    """A search's `init`, `run` and `finish`, each compiled once."""

    def __init__(self, algorithm, num_simulations):
        self.config = SearchConfig(algorithm, num_simulations)
        pieces = get_search(algorithm)
        self.init = jax.jit(functools.partial(pieces.init, MODEL, self.config))
        self.run = jax.jit(functools.partial(pieces.run, MODEL, self.config))
        self.finish = jax.jit(functools.partial(pieces.finish, MODEL, self.config))

    def __call__(self, states, *sizes):
        state = self.init(HYPERPARAMETERS, PARAMS, keys(), states)
        for size in sizes:
            state = self.run(HYPERPARAMETERS, PARAMS, state, size)
        return self.finish(HYPERPARAMETERS, state)


@functools.cache
def pieces_of(algorithm):
    return Pieces(algorithm, 48)  # of 9 actions Gumbel halves after 12, 24, ... simulations


@pytest.mark.parametrize(
    "algorithm",
    ["gumbel", *(pytest.param(name, marks=pytest.mark.slow) for name in ("puct", "uct"))],
)
def test_pieces_of_a_search_equal_one_program(algorithm):
    states = random_positions("tic_tac_toe")
    pieces = pieces_of(algorithm)
    whole = jax.jit(functools.partial(search, MODEL, pieces.config))
    expected = whole(HYPERPARAMETERS, PARAMS, keys(), states)
    assert (np.asarray(expected.tree.node_visits[:, 0]) == 49).all()
    assert_equal(pieces(states, 48), expected)
    assert_equal(pieces(states, 5, 1, 17, 25), expected)
    assert_equal(pieces(states, 40, 40), expected)  # runs no more than the search's simulations


def test_a_search_may_be_finished_early():
    states = random_positions("tic_tac_toe")
    result = pieces_of("gumbel")(states, 16)
    assert (np.asarray(result.tree.node_visits[:, 0]) == 17).all()
    legal = np.asarray(jax.vmap(GAME.legal_action_mask)(states))
    weights = np.asarray(result.action_weights)
    np.testing.assert_allclose(weights.sum(axis=1), 1, rtol=1e-5)
    assert (weights[~legal] == 0).all()
    assert legal[np.arange(BATCH), np.asarray(result.action)].all()


@pytest.mark.usefixtures("registrations")
def test_a_registered_search_is_an_algorithm():
    calls = []

    def own_search(model, config, hyperparameters, params, keys, states):
        calls.append(config.num_simulations)
        return get_search("puct")(model, config, hyperparameters, params, keys, states)

    with pytest.raises(
        ValueError,
        match=r"search\.algorithm='own': must be gumbel, puct, .*, mctx_puct, or one of --plugin",
    ):
        check_search_config(SearchConfig("own"))
    register_search("own", own_search, ("c_puct",))
    config = SearchConfig("own", 4)
    assert used_hyperparameters(config.algorithm) == ("c_puct",)
    states = random_positions("tic_tac_toe")
    find = functools.partial(search, MODEL, config)
    found = jax.eval_shape(find, HYPERPARAMETERS, PARAMS, keys(), states)
    assert calls == [4]
    assert found.action.shape == (BATCH,)
    with pytest.raises(ValueError, match="registered already"):
        register_search("puct", own_search)
    with pytest.raises(ValueError, match="no hyperparameter 'c_pucct'; did you mean 'c_puct'"):
        register_search("other", own_search, ("c_pucct",))
    with pytest.raises(ValueError, match="no search is named 'ownn'; did you mean 'own'"):
        get_search("ownn")


@pytest.mark.usefixtures("registrations")
def test_a_registered_search_uses_all_hyperparameters_by_default():
    register_search("own", get_search("uct"))
    assert used_hyperparameters("own") == SearchHyperparameters._fields


@pytest.mark.usefixtures("registrations")
@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (
            lambda *arguments: None,
            "^result of search 'wrong' is None: must be of type SearchResult",
        ),
        (
            lambda *arguments: get_search("policy")(*arguments)._replace(action=np.zeros(3)),
            rf"^action of search 'wrong' is float32\[3\]: must be an array \[{BATCH}\], integer",
        ),
        (
            dataclasses.replace(get_search("puct"), select_at_interior=lambda *arguments: None),
            r"^result of select_at_interior is None: must be an array \[\], integer",
        ),
    ],
)
def test_a_registered_search_that_returns_something_else_is_refused_in_one_line(wrong, message):
    register_search("wrong", wrong)
    run = functools.partial(search, MODEL, SearchConfig("wrong", 4))
    with pytest.raises(InputError, match=message):
        jax.eval_shape(run, HYPERPARAMETERS, PARAMS, keys(), random_positions("tic_tac_toe"))
