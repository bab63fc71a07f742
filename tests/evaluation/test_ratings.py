import functools

import numpy as np
import pytest
import scipy.optimize

from azjax.evaluation import Match, MatchResult, rate
from azjax.evaluation.ratings import ELO

TRUE_ELO = np.array([0.0, 60.0, 150.0, 300.0])


def sample_rewards(elo_lead, num_pairs, rng, draw_rate=1.0):
    """Returns [num_pairs, 2] results by Davidson's model."""
    lead = elo_lead / ELO / 2
    weights = np.array([np.exp(-lead), draw_rate, np.exp(lead)])
    rewards = rng.choice([-1, 0, 1], size=(num_pairs, 2), p=weights / weights.sum())
    return rewards.astype(np.int8)


def sample_matches(elo, num_pairs=100, seed=0):
    rng = np.random.default_rng(seed)
    return [
        Match(i, j, MatchResult(sample_rewards(elo[i] - elo[j], num_pairs, rng)))
        for i in range(len(elo))
        for j in range(i + 1, len(elo))
    ]


def one_match(wins, draws, losses):
    """Returns a match in which both games of each pair have the same result."""
    rewards = np.repeat([1, 0, -1], [wins, draws, losses]).astype(np.int8)
    return Match(0, 1, MatchResult(np.stack([rewards, rewards], axis=1)))


@pytest.fixture
def few_bootstraps(monkeypatch):
    """Speeds ratings up where the width of intervals does not matter."""
    monkeypatch.setattr("azjax.evaluation.ratings._NUM_BOOTSTRAPS", 20)


@functools.cache
def rated(seed):
    return rate(4, sample_matches(TRUE_ELO, seed=seed), anchor=0)


@pytest.mark.slow
def test_true_ratings_are_recovered():
    errors = [[rating.elo for rating in rated(seed)] - TRUE_ELO for seed in range(4)]
    assert np.abs(np.mean(errors, axis=0)).max() < 25
    assert np.abs(errors).max() < 70


def test_intervals_hold_the_true_ratings():
    is_inside = [
        rating.interval.low <= elo <= rating.interval.high
        for seed in range(4)
        for elo, rating in zip(TRUE_ELO[1:], rated(seed)[1:], strict=True)
    ]
    assert np.mean(is_inside) >= 10 / 12
    assert all(np.ptp(rating.interval) < 130 for rating in rated(0))


@pytest.mark.usefixtures("few_bootstraps")
def test_the_anchor_is_zero_for_certain():
    for anchor in (0, 2):
        ratings = rate(4, sample_matches(TRUE_ELO, num_pairs=10), anchor)
        assert ratings[anchor] == (0.0, (0.0, 0.0))


@pytest.mark.usefixtures("few_bootstraps")
def test_the_order_of_the_players_does_not_matter():
    matches = sample_matches(TRUE_ELO, num_pairs=20)
    turned = [Match(3 - j, 3 - i, MatchResult(-result.rewards)) for i, j, result in matches]
    elo = [rating.elo for rating in rate(4, matches, anchor=0)]
    backwards = [rating.elo for rating in rate(4, turned, anchor=3)]
    np.testing.assert_allclose(elo, backwards[::-1], atol=0.1)


@pytest.mark.usefixtures("few_bootstraps")
@pytest.mark.parametrize(("wins", "losses"), [(30, 10), (10, 30), (20, 20), (50, 0)])
def test_two_players_differ_by_the_logarithm_of_their_odds(wins, losses):
    """Pairs count two games, and every match has one pseudo-game as a prior."""
    _, second = rate(2, [one_match(wins, 0, losses)], anchor=0)
    expected = ELO * np.log((2 * losses + 0.5) / (2 * wins + 0.5))
    assert second.elo == pytest.approx(expected, abs=2)


def test_a_player_who_wins_every_game_stays_within_reach():
    perfect = [Match(i, 2, MatchResult(np.full((50, 2), -1, np.int8))) for i in (0, 1)]
    even = Match(0, 1, MatchResult(np.tile(np.array([1, -1], np.int8), (50, 1))))
    first, second, winner = rate(3, [even, *perfect], anchor=0)
    assert second.elo == pytest.approx(0, abs=1)
    assert 400 < winner.elo < 2000
    assert np.isfinite(winner.interval).all()
    assert winner.interval.low > max(first.interval.high, second.interval.high)


def test_the_bootstrap_is_that_of_its_seed():
    matches = sample_matches(TRUE_ELO[:2], num_pairs=20)
    once, same, other = (rate(2, matches, anchor=0, seed=seed) for seed in (1, 1, 2))
    assert once == same
    assert once[1].elo == other[1].elo
    assert once[1].interval != other[1].interval


@pytest.mark.usefixtures("few_bootstraps")
def test_the_gradient_is_that_of_the_likelihood(monkeypatch):
    minimize, losses = scipy.optimize.minimize, []

    def note(loss, *arguments, **keywords):
        losses.append(loss)
        return minimize(loss, *arguments, **keywords)

    monkeypatch.setattr(scipy.optimize, "minimize", note)
    rate(4, sample_matches(TRUE_ELO, num_pairs=5), anchor=0)
    point = np.random.default_rng(0).normal(size=5)  # four strengths and the rate of draws
    value, gradient = (lambda x: losses[0](x)[0]), losses[0](point)[1]
    np.testing.assert_allclose(
        scipy.optimize.approx_fprime(point, value, 1e-6), gradient, rtol=1e-3, atol=1e-3
    )


def test_pairs_of_the_same_opening_have_the_same_weight_in_all_matches():
    """Players 0 and 2 have the same results against player 1, and are even with each other.

    With the same openings chance cannot tell them apart; with openings of their own it can.
    """
    rewards = np.random.default_rng(0).choice([-1, 1], size=(50, 1)).astype(np.int8)
    against_1 = MatchResult(np.repeat(rewards, 2, axis=1))
    even = MatchResult(np.zeros((50, 2), np.int8))
    matches = [Match(0, 1, against_1), Match(2, 1, against_1), Match(0, 2, even)]
    same, own = (
        np.ptp(rate(3, matches, anchor=0, same_openings=same)[2].interval) for same in (True, False)
    )
    assert same < own / 2
