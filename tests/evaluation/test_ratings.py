import functools

import numpy as np
import pytest

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


@pytest.fixture(autouse=True)
def few_bootstraps(monkeypatch):
    monkeypatch.setattr("azjax.evaluation.ratings._NUM_BOOTSTRAPS", 50)


@functools.cache
def rated(seed):
    return rate(4, sample_matches(TRUE_ELO, seed=seed), anchor=0)


def test_intervals_hold_the_true_ratings():
    is_inside = [
        rating.interval.low <= elo <= rating.interval.high
        for seed in range(3)
        for elo, rating in zip(TRUE_ELO[1:], rated(seed)[1:], strict=True)
    ]
    assert np.mean(is_inside) >= 7 / 9
    assert all(np.ptp(rating.interval) < 130 for rating in rated(0))


def test_the_order_of_the_players_does_not_matter():
    matches = sample_matches(TRUE_ELO, num_pairs=20)
    turned = [Match(3 - j, 3 - i, MatchResult(-result.rewards)) for i, j, result in matches]
    elo = [rating.elo for rating in rate(4, matches, anchor=0)]
    turned_ratings = rate(4, turned, anchor=3)
    assert turned_ratings[3] == (0.0, (0.0, 0.0))  # the anchor's, for certain
    backwards = [rating.elo for rating in turned_ratings]
    np.testing.assert_allclose(elo, backwards[::-1], atol=0.1)


@pytest.mark.parametrize(("wins", "losses"), [(30, 10), (50, 0)])
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
