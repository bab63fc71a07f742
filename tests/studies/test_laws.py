"""Fits to made-up results that follow power laws."""

import numpy as np
import pytest

from azjax.studies.laws import Trained, bootstrap, fit_laws

P = 1000


def trained(training, parameters, worse=1.0):
    """Errors of training ** -0.5 * play ** -0.25, Elo of 100 for ten times the training."""
    play = parameters * np.array([1.0, 16.0])
    errors = worse * training**-0.5 * (play / parameters) ** -0.25
    wrong = np.arange(P) < (errors * P)[:, None, None]
    elo = np.full(3, 100 * np.log10(training))
    return Trained("", parameters, training, play, np.repeat(wrong, 3, axis=1), elo)


CELLS = [trained(400.0, 40), trained(4.0, 4), trained(40.0, 12.65), trained(50.0, 4, worse=3.0)]


def test_laws_are_those_of_the_frontier():
    laws = fit_laws(CELLS)
    assert laws.frontier == [1, 2, 0]
    found = laws.errors, laws.elo, laws.size
    assert found == pytest.approx((-0.5, 100, 0.5), rel=0.02)


def test_training_and_play_are_worth_what_their_exponents_say():
    same_size = [cell._replace(play=np.array([1.0, 16.0])) for cell in CELLS]
    assert fit_laws(same_size).trade == pytest.approx(10 ** (0.5 / 0.25), rel=0.2)


def test_intervals_hold_the_fits():
    laws, intervals = fit_laws(CELLS), bootstrap(CELLS)
    for name, (low, high) in intervals.items():
        assert low - 1e-9 <= getattr(laws, name) <= high + 1e-9
    assert intervals["errors"][1] - intervals["errors"][0] < 0.2


def test_one_configuration_has_no_law():
    assert np.isnan(fit_laws(CELLS[:1]).errors)
