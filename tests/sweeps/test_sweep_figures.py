"""The figures of a sweep: the best trial is the brightest line."""

import matplotlib.colors
import optuna
import pytest
from matplotlib.figure import Figure
from sweeping import make_trial

import azjax.sweeps.figures as figures_module
from azjax.config.run_config import RunConfig
from azjax.support.ranges import Range
from azjax.sweeps.figures import plot_importance, plot_parallel_coordinates
from azjax.sweeps.search_space import Space

RATE = "hparams.learning_rate"
SPACE = Space(
    RunConfig(),
    ranges={RATE: Range(1e-3, 1e-1, log=True), "hparams.temperature": Range(0.5, 2.0)},
    choices={"train.num_updates": (8, 16)},
)


@pytest.fixture
def drawn(monkeypatch):
    """Returns the list of the figures that are saved; no file is written."""
    figures = []
    monkeypatch.setattr(figures_module, "save_figure", lambda figure, stem: figures.append(figure))
    return figures


def trial(number, score, **values):
    params = {RATE: 0.01, "hparams.temperature": 1.0, "train.num_updates": 8} | values
    return make_trial(SPACE, number, score, params)


def brightness(color):
    red, green, blue = matplotlib.colors.to_rgb(color)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_the_best_trial_is_the_brightest_line_and_the_topmost_one(drawn, tmp_path):
    trials = [trial(0, 1.5), trial(1, 1.792), trial(2, None), trial(3, 0.9)]
    plot_parallel_coordinates(SPACE, trials, tmp_path / "figure")
    axes, color_bar = drawn[0].axes
    lines = axes.lines[:4]  # the axes of the fields follow
    pruned, worst, middle, best = (brightness(line.get_color()) for line in lines)
    background = brightness(axes.get_facecolor())
    assert background < worst < middle < best
    assert background < pruned < best
    assert color_bar.get_ylabel() == "score"


def test_trials_of_equal_scores_are_all_bright(drawn, tmp_path):
    plot_parallel_coordinates(SPACE, [trial(0, 1.0), trial(1, 1.0)], tmp_path / "figure")
    assert min(brightness(line.get_color()) for line in drawn[0].axes[0].lines[:2]) > 0.7


def test_a_line_passes_through_its_trials_values(drawn, tmp_path):
    values = {"train.num_updates": 16, "hparams.temperature": 2.0}
    plot_parallel_coordinates(SPACE, [trial(0, 0.5, **values)], tmp_path / "figure")
    line = drawn[0].axes[0].lines[0]
    assert list(line.get_ydata()) == pytest.approx([0.75, 0.5, 1.0])


def test_the_field_that_decides_is_the_most_important(drawn, tmp_path):
    trials = [
        trial(n, n / 20, **{RATE: 1e-3 * 1.2**n, "hparams.temperature": 0.5 + n * 7 % 20 / 20})
        for n in range(20)
    ]
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    plot_importance(trials, tmp_path / "figure")
    (axes,) = drawn[0].axes
    assert isinstance(drawn[0], Figure)
    assert axes.get_yticklabels()[-1].get_text() == "learning_rate"
