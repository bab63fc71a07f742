"""The pictures of learning curves: what is drawn, and how."""

import numpy as np
import pytest

from azjax.runs.reporting import learning_curves
from azjax.runs.reporting.learning_curves import mean_curve, plot_curves, plot_population

INITIAL = {"iteration": 0, "seconds": 0.0, "accuracy_network": 0.5, "accuracy_search": 0.6}


@pytest.fixture
def figures(monkeypatch):
    """Returns the figures that are saved, which are not drawn."""
    saved = []
    monkeypatch.setattr(
        learning_curves, "write_figure", lambda figure, path, **_: saved.append(figure)
    )
    return saved


def trained(iterations, evaluate_every):
    """Returns the rows of a run of so many iterations of a second each."""
    rows = [INITIAL]
    for i in range(1, iterations + 1):
        row = {"iteration": i, "seconds": float(i), "policy_loss": 1 / i, "value_loss": 0.1}
        accuracy = {"accuracy_network": 0.7, "accuracy_search": 0.8}
        rows.append(row | accuracy if i % evaluate_every == 0 else row)
    return rows


def lines(axes):
    return {line.get_label(): (len(line.get_xdata()), line.get_marker()) for line in axes.lines}


def test_evaluations_have_markers_and_metrics_of_every_iteration_have_none(figures, tmp_path):
    plot_curves(trained(6, evaluate_every=3), tmp_path / "curves.png", "a title")
    accuracy, loss = figures[0].axes
    assert lines(accuracy) == {"accuracy network": (3, "o"), "accuracy search": (3, "o")}
    assert lines(loss) == {"policy loss": (6, "None"), "value loss": (6, "None")}


def test_a_single_point_is_drawn_as_a_point(figures, tmp_path):
    plot_curves(trained(1, evaluate_every=3), tmp_path / "curves.png", "a title")
    accuracy, loss = figures[0].axes
    assert lines(accuracy)["accuracy network"] == (1, "o")
    assert lines(loss)["policy loss"] == (1, "o")


def test_curves_are_plotted_even_if_numbers_are_missing(tmp_path):
    rows = [{"seconds": 1.0, "policy_loss": 1.0, "draws": None}, {"seconds": 2.0, "draws": 0.5}]
    plot_curves(rows, tmp_path / "curves.png", "a title")
    assert (tmp_path / "curves.png").read_bytes().startswith(b"\x89PNG")


def test_without_metrics_no_curves_are_plotted(tmp_path):
    plot_curves([], tmp_path / "curves.png", "a title")
    plot_population({}, tmp_path / "curves.png", "a title")
    assert not (tmp_path / "curves.png").exists()


def test_a_population_has_a_thin_line_for_each_run_and_a_thick_one_for_each_setting(
    figures, tmp_path
):
    settings = {"rate=1": [trained(6, 3), trained(6, 2)], "rate=2": [trained(6, 3)]}
    plot_population(settings, tmp_path / "curves.png", "a title")
    for axes in figures[0].axes:
        thin, thick = (
            [line for line in axes.lines if (line.get_linewidth() > 2) == is_thick]
            for is_thick in (False, True)
        )
        assert (len(thin), len(thick)) == (3, 2)
        assert [line.get_label() for line in thick] == ["rate=1", "rate=2"]
        assert len({line.get_color().tobytes() for line in axes.lines}) == 2
        assert {line.get_marker() for line in thin} == {"."}  # evaluations


def test_a_population_without_solved_positions_shows_losses(figures, tmp_path):
    rows = [{"iteration": 1, "seconds": 1.0, "policy_loss": 1.0, "value_loss": 0.5}]
    plot_population({"all runs": [rows, rows]}, tmp_path / "curves.png", "a title")
    assert [axes.get_title() for axes in figures[0].axes] == ["policy loss", "value loss"]
    assert [line.get_marker() for line in figures[0].axes[0].lines] == [".", ".", "o"]


def test_the_mean_curve_interpolates_and_keeps_the_last_value_of_a_run_that_ended():
    one = np.array([[0.0, 2.0, 4.0], [0.0, 0.4, 0.8]])
    ended = np.array([[0.0, 1.0], [0.0, 1.0]])
    seconds, mean = mean_curve([one, ended])
    assert seconds.tolist() == [0.0, 1.0, 2.0, 4.0]
    assert mean == pytest.approx([0.0, 0.6, 0.7, 0.9])
