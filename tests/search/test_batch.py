"""Batches of positions, and traced hyperparameters."""

import jax
import numpy as np
import pytest
from trees import assert_same

from azjax.games import make
from azjax.search import SearchHyperparameters

from .searching import ALGORITHMS, BATCH, EvaluationParams, make_search, random_positions, searcher

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
            jax.tree.map(lambda x, i=i: x[i : i + 1], states),
            params,
            keys=keys[i : i + 1],
            **noise,
        )
        assert_same(alone, jax.tree.map(lambda x, i=i: x[i : i + 1], together))


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_hyperparameters_may_be_traced_and_vmapped(algorithm):
    find = searcher("tic_tac_toe", algorithm)
    states, keys = random_positions("tic_tac_toe"), jax.random.split(jax.random.key(0), BATCH)
    (name, values), *_ = SWEPT[algorithm].items()
    quiet = jax.tree.map(np.float32, SearchHyperparameters().without_noise())
    params = EvaluationParams(
        np.zeros(9, np.float32), np.uint32(0), np.float32(0.5), np.float32(0.0)
    )
    axes = SearchHyperparameters(*(0 if field == name else None for field in quiet._fields))
    sweep = jax.jit(
        jax.vmap(make_search(make("tic_tac_toe"), algorithm, 128), in_axes=(axes, None, None, None))
    )
    swept = sweep(quiet._replace(**{name: np.float32(values)}), params, keys, states)
    for i, value in enumerate(values):
        lone = find(states, EvaluationParams(variation=0.5), keys=keys, **{name: value})
        np.testing.assert_allclose(swept.action_weights[i], lone.action_weights, atol=1e-5)
        np.testing.assert_allclose(swept.value[i], lone.value, atol=1e-5)
    visits = np.asarray(swept.tree.children_visits)[:, :, 0]
    assert (visits[0] != visits[1]).any()


@pytest.mark.parametrize(
    "change",
    [
        {"gumbel_scale": 0.5},
        {"value_scale": 0.01},
        {"maxvisit_init": 5.0},
        {"c_puct": 4.0},
        {"c_puct_base": 5.0},
        {"dirichlet_fraction": 0.5},
        {"dirichlet_fraction": 0.5, "dirichlet_alpha": 0.03},
    ],
    ids=lambda change: "-".join(change),
)
def test_every_hyperparameter_matters_to_its_algorithm_and_none_compiles_anew(
    find_tic_tac_toe, change
):
    states, params = random_positions("tic_tac_toe"), EvaluationParams(variation=0.5)
    base = {name: 0.5 for name in change if name == "dirichlet_fraction" and len(change) > 1}
    default = find_tic_tac_toe(states, params, **base)
    changed = find_tic_tac_toe(states, params, **change)
    is_gumbels = bool({"gumbel_scale", "value_scale", "maxvisit_init"} & set(change))
    differs = bool((default.action_weights != changed.action_weights).any())
    assert differs == (is_gumbels == (find_tic_tac_toe.algorithm == "gumbel"))
    assert find_tic_tac_toe.compiled._cache_size() == 1
