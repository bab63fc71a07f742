"""Fits to made-up results that follow power laws."""

import numpy as np
import pytest

from azjax.studies.laws import Trained, fit_laws, resample

P = 1000


def trained(training, parameters, worse=1.0):
    """Errors of training ** -0.5 * play ** -0.25, Elo of 100 for ten times the training.

    The second of three seeds has a tenth more errors, the third a tenth fewer.
    """
    play = parameters * np.array([1.0, 16.0])
    errors = worse * training**-0.5 * (play / parameters) ** -0.25
    wrong = np.arange(P) < P * errors[:, None, None] * np.array([1.0, 1.1, 0.9])[:, None]
    elo = 100 * np.log10(training) + np.array([0.0, -5.0, 5.0])
    return Trained("", parameters, training, play, wrong, elo)


CELLS = [trained(400.0, 40), trained(4.0, 4), trained(40.0, 12.65), trained(50.0, 4, worse=3.0)]


def test_laws_are_those_of_the_frontier():
    laws = fit_laws(CELLS)
    assert laws.frontier == [1, 2, 0]
    found = laws.errors, laws.elo, laws.size
    assert found == pytest.approx((-0.5, 100, 0.5), rel=0.02)


def test_training_and_play_are_worth_what_their_exponents_say():
    same_size = [cell._replace(play=np.array([1.0, 16.0])) for cell in CELLS]
    assert fit_laws(same_size).trade == pytest.approx(10 ** (0.5 / 0.25), rel=0.2)


def test_resampled_fits_range_around_the_fit():
    laws = fit_laws(CELLS)
    of_seeds, of_both = (resample(CELLS, is_sample=x) for x in (False, True))
    for name, (low, high) in of_both.items():
        assert low - 1e-9 <= getattr(laws, name) <= high + 1e-9
    widths = [x["errors"][1] - x["errors"][0] for x in (of_seeds, of_both)]
    assert 0.01 < widths[0] < widths[1] < 0.3


def test_one_configuration_or_operations_that_are_not_known_have_no_law():
    assert np.isnan(fit_laws(CELLS[:1]).errors)
    assert np.isnan(fit_laws([cell._replace(training=np.nan) for cell in CELLS]).errors)
