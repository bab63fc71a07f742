"""Batches of positions, and traced numbers."""

import dataclasses

import jax
import numpy as np
import pytest
from trees import assert_same

from azjax.games import make
from azjax.support.component import number_fields

from .searching import (
    ALGORITHMS,
    BATCH,
    EvaluationParams,
    make_search,
    random_positions,
    search_game,
    searcher,
)

SWEPT = {"gumbel": {"gumbel_scale": (0.0, 2.0)}, "puct": {"c_puct": (0.5, 4.0)}}


def test_games_do_not_influence_their_neighbours(find):
    """The result of a game does not depend on the other games of its batch."""
    params = EvaluationParams(variation=0.5)
    noise = {"gumbel_scale": 1.0, "dirichlet_fraction": 0.25}
    states = random_positions(find.game.name)
    keys = jax.random.split(jax.random.key(0), BATCH)
    together = find(states, params, keys=keys, **noise)
    for i in (0, 5, 11):
        alone = find(
            jax.tree.map(lambda x, i=i: x[i : i + 1], states), params, keys=keys[i : i + 1], **noise
        )
        assert_same(alone, jax.tree.map(lambda x, i=i: x[i : i + 1], together))


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_numbers_may_be_traced_and_vmapped(algorithm):
    find = searcher("tic_tac_toe", algorithm)
    states, keys = random_positions("tic_tac_toe"), jax.random.split(jax.random.key(0), BATCH)
    (name, values), *_ = SWEPT[algorithm].items()
    quiet = jax.tree.map(np.float32, make_search(algorithm, 128))
    params = EvaluationParams(
        np.zeros(9, np.float32), np.uint32(0), np.float32(0.5), np.float32(0.0)
    )
    fields = number_fields(type(quiet))
    axes = jax.tree.unflatten(
        jax.tree.structure(quiet), [0 if field == name else None for field in fields]
    )
    find_game = search_game(make("tic_tac_toe"))
    sweep = jax.jit(jax.vmap(find_game, in_axes=(axes, None, None, None)))
    several = dataclasses.replace(quiet, **{name: np.float32(values)})
    swept = sweep(several, params, keys, states)
    for i, value in enumerate(values):
        lone = find(states, EvaluationParams(variation=0.5), keys=keys, **{name: value})
        np.testing.assert_allclose(swept.action_weights[i], lone.action_weights, atol=1e-5)
        np.testing.assert_allclose(swept.value[i], lone.value, atol=1e-5)
    visits = np.asarray(swept.tree.children_visits)[:, :, 0]
    assert (visits[0] != visits[1]).any()


@pytest.mark.parametrize(
    ("algorithm", "change"),
    [
        ("gumbel", {"gumbel_scale": 0.5}),
        ("gumbel", {"value_scale": 0.01}),
        ("gumbel", {"maxvisit_init": 5.0}),
        ("puct", {"c_puct": 4.0}),
        ("puct", {"c_puct_base": 5.0}),
        ("puct", {"dirichlet_fraction": 0.5}),
        ("puct", {"dirichlet_fraction": 0.5, "dirichlet_alpha": 0.03}),
    ],
)
def test_every_number_matters_and_none_compiles_anew(algorithm, change):
    find = searcher("tic_tac_toe", algorithm)
    states, params = random_positions("tic_tac_toe"), EvaluationParams(variation=0.5)
    base = {name: 0.5 for name in change if name == "dirichlet_fraction" and len(change) > 1}
    default = find(states, params, **base)
    changed = find(states, params, **change)
    assert (default.action_weights != changed.action_weights).any()
    assert find.compiled._cache_size() == 1
