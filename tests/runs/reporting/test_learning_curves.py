"""The pictures of learning curves: what is drawn, and how."""

import numpy as np
import pytest

from azjax.runs.reporting.learning_curves import mean_curve, plot_curves


def test_curves_are_plotted_even_if_numbers_are_missing(tmp_path):
    rows = [{"seconds": 1.0, "policy_loss": 1.0, "draws": None}, {"seconds": 2.0, "draws": 0.5}]
    plot_curves({"": [rows]}, tmp_path / "curves.png", "a title")
    assert (tmp_path / "curves.png").read_bytes().startswith(b"\x89PNG")


def test_the_mean_curve_interpolates_and_keeps_the_last_value_of_a_run_that_ended():
    one = np.array([[0.0, 2.0, 4.0], [0.0, 0.4, 0.8]])
    ended = np.array([[0.0, 1.0], [0.0, 1.0]])
    seconds, mean = mean_curve([one, ended])
    assert seconds.tolist() == [0.0, 1.0, 2.0, 4.0]
    assert mean == pytest.approx([0.0, 0.6, 0.7, 0.9])
