"""Playout caps and the growth of simulations: which search a ply has, and what is learned of it."""

import dataclasses
import functools
import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from azjax.search import SearchResult
from azjax.training import GrowingSimulations, PlayoutCaps, check_train_config, make_context
from azjax.training import selfplay as games

from .tiny import CONFIG, change, start, with_parts

GROWING = with_parts(CONFIG, GrowingSimulations(initial=2))
CAPPED = with_parts(GROWING, PlayoutCaps(fast_simulations=1))


@pytest.fixture
def search_plies(monkeypatch):
    """Returns `search_plies(config, progress)`: of 1000 plies the simulations and noise, [1000]."""

    def report(model, config, *arguments, roots_alone, kept):
        scale = jnp.float32(config.gumbel_scale)
        return SearchResult(jnp.int32(0), jnp.zeros(9), value=scale, tree=None)

    monkeypatch.setattr(games, "search", report)

    def search_plies(config, progress):
        context = make_context(config)

        def search_one(key):
            found = games.search_ply(context, None, progress, key, None, None)
            return found.num_simulations, found.result.value, found.policy_weight

        found = jax.jit(jax.vmap(search_one))(jax.random.split(jax.random.key(0), 1000))
        return tuple(np.broadcast_to(x, 1000) for x in found)

    return search_plies


def test_simulations_double_in_equal_shares_of_a_run_s_length(search_plies):
    stages = [search_plies(GROWING, share) for share in (0.0, 0.32, 0.34, 0.65, 0.67, 1.0)]
    assert [set(simulations) for simulations, _, _ in stages] == [{2}, {2}, {4}, {4}, {8}, {8}]
    assert all((noise == 1).all() and (weight == 1).all() for _, noise, weight in stages)


def test_a_share_of_the_plies_is_searched_in_full_and_the_others_fast_without_noise(search_plies):
    simulations, noise, weight = search_plies(CAPPED, 0.5)
    is_full = simulations == 4
    assert (simulations[~is_full] == 1).all()
    assert is_full.mean() == pytest.approx(0.25, abs=0.04)
    np.testing.assert_array_equal(noise, is_full)
    np.testing.assert_array_equal(weight, 4 * is_full)
    simulations, _, weight = search_plies(change(CAPPED, playout_caps={"full_share": 1.0}), 0.5)
    assert (simulations == 4).all()
    assert (weight == 1).all()


@pytest.mark.parametrize(
    ("part", "message"),
    [
        (GrowingSimulations(3), "growing_simulations.initial=3: must be search.num_simulations=8"),
        (PlayoutCaps(9), "playout_caps.fast_simulations=9: must be at most 8"),
    ],
)
def test_simulations_that_do_not_lead_to_those_of_the_search_are_refused(part, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        check_train_config(with_parts(CONFIG, part))


def test_moves_of_fast_searches_have_no_policy_weight_and_count_as_fast():
    config = with_parts(CONFIG, PlayoutCaps(fast_simulations=1))
    config = dataclasses.replace(config, num_moves=16)
    play = jax.jit(functools.partial(config.algorithm.play, make_context(config)))
    _, moves, progress = play(start(), jax.random.key(3), 1.0)
    weights = np.asarray(moves.policy_weight)
    assert (weights == weights[:, :1]).all()
    assert set(weights[:, 0]) == {0, 4}
    simulations = np.where(weights[:, 0] == 0, 1, 8)
    assert progress.simulations_per_move == pytest.approx(simulations.mean())
