import numpy as np
import pytest

from azjax.evaluation.match_result import PAIR_SCORES, score_posterior

DECISIVE = np.array([0.3, 0.05, 0.25, 0.05, 0.35])
STRONG = np.array([0.0, 0.02, 0.1, 0.28, 0.6])


@pytest.mark.parametrize("shares", [DECISIVE, STRONG], ids=["decisive", "far"])
def test_the_interval_covers_the_truth_in_95_of_100_matches(shares):
    truth = shares @ PAIR_SCORES
    matches = np.random.default_rng(0).multinomial(100, shares, size=150)
    intervals = [score_posterior(counts)[0] for counts in matches]
    covered = np.mean([low <= truth <= high for low, high in intervals])
    assert 0.93 <= covered <= 0.975


def test_a_match_won_in_every_game_has_an_interval():
    interval, probability_stronger = score_posterior(np.array([0, 0, 0, 0, 20]))
    assert 0.8 < interval.low < 0.97
    assert interval.high == 1
    assert 0.999 < probability_stronger <= 1


@pytest.mark.parametrize("counts", [[3, 1, 7, 1, 3], [0, 0, 9, 0, 0]])
def test_a_symmetric_match_is_even(counts):
    interval, probability_stronger = score_posterior(np.array(counts))
    assert probability_stronger == 0.5
    assert interval.low < 0.5 < interval.high


def test_the_probability_of_being_stronger_grows_with_the_score():
    """From one match to the next, one more pair is won instead of lost."""
    posteriors = [score_posterior(np.array([20 - won, 0, 0, 0, won])) for won in range(21)]
    probabilities = [probability for _, probability in posteriors]
    assert probabilities == sorted(probabilities)
    assert probabilities[0] < 0.001
    assert probabilities[-1] > 0.999
