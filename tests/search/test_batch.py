"""Batches of positions, and traced numbers."""

import jax
import pytest
from trees import assert_same

from .searching import BATCH, EvaluationParams, random_positions, searcher


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
