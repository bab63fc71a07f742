"""Tactics that a search finds with uniform priors and zero values, or against the prior."""

import itertools

import jax
import numpy as np
import pytest

from azjax.games import hash_state

from .searching import ALGORITHMS, SEARCHES, EvaluationParams, positions, searcher

# Positions, each with its only right move.
MATES = {
    "tic_tac_toe": {"XX./OO./... X": 2, "OO./XXO/X.X O": 2},
    "connect_four": {
        "......./......./......./......O/X.....O/XX.X..O O": 6,
        "......./......./......./..XO.../.XOO.../XOOX..X X": 3,
    },
}
BLOCKS = {
    "tic_tac_toe": {"OO./X../X.. X": 2, "X.O/.X./... O": 8},
    "connect_four": {
        "......./......./......./X....../X.O..../X.O.... O": 0,
        "......./......./......./......./XX...../OOO...X X": 3,
    },
}


def best_moves(find, texts, prior_against=False):
    """Returns the move found in each position; `prior_against` makes the right one unlikely."""
    states = positions(find.game, *texts)
    if not prior_against:
        return find(states).action
    hashes = np.asarray(jax.vmap(hash_state)(states))
    unlikely = -2.0 * np.eye(find.game.num_actions)
    all_params = [
        EvaluationParams(unlikely[a], only_at=h)
        for a, h in zip(texts.values(), hashes, strict=True)
    ]
    return np.array([find(states, t, c_puct=5.0).action[i] for i, t in enumerate(all_params)])


def with_tier(names):
    return pytest.param(names, marks=pytest.mark.slow if "connect_four" in names else ())


CASES = [
    *itertools.product(["tic_tac_toe"], SEARCHES),
    *itertools.product(["connect_four"], ALGORITHMS),
]


@pytest.fixture(scope="module", params=[with_tier(case) for case in CASES], ids="-".join)
def find(request):
    return searcher(*request.param)


@pytest.mark.parametrize("prior_against", [False, True], ids=["uniform", "prior_against_it"])
def test_a_mate_in_one_is_found_and_blocked(find, prior_against):
    for texts in (MATES[find.game.name], BLOCKS[find.game.name]):
        found = best_moves(find, texts, prior_against)
        np.testing.assert_array_equal(found, list(texts.values()))


def test_the_policy_learns_the_mate(find):
    texts = MATES[find.game.name]
    weights = find(positions(find.game, *texts)).action_weights
    assert (weights[np.arange(len(texts)), list(texts.values())] > 0.5).all()
