"""The results of a sweep from trials that are made here: what a score means, and which figures."""

import optuna
import pytest
from sweeping import make_trial

import azjax.sweeps.report as report_module
from azjax.config.limits import Limits
from azjax.config.preset_file import read_preset
from azjax.config.presets import get_preset
from azjax.support.provenance.session_log import ScriptSession
from azjax.sweeps.report import plot_importance, write_results
from azjax.sweeps.search_space import make_space
from azjax.sweeps.storage import quiet_optuna
from azjax.sweeps.sweep import Sweep

PRESET = get_preset("tic_tac_toe")
SPACE = make_space(PRESET.config, None)
SESSION = ScriptSession("python experiments/sweep.py", 0.0, "2 x cpu", "azjax 0.1.0", 1.0, "abc")


def make_sweep(opponent=None):
    objective = "rating" if opponent else "accuracy"
    return Sweep("tic_tac_toe", SPACE, objective, opponent, None, Limits(0.3125), seed=0)


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Returns `write(scores)`, which writes the results of trials: a pruned one for None, a failed
    one for "failed". It returns the report and the names of the figures."""
    figures = []
    monkeypatch.setattr(report_module, "plot_importance", lambda study, path: figures.append(path))

    def call(scores, opponent=None, preset=PRESET, notes=None):
        with quiet_optuna():
            study = optuna.create_study(direction="maximize")
            for number, score in enumerate(scores):
                values = SPACE.values_of(SPACE.base)
                trial = make_trial(SPACE, number, None if score == "failed" else score, values)
                if score == "failed":
                    trial.set_user_attr("notes", {"error": "the loss is not finite"})
                elif notes:
                    trial.set_user_attr("notes", notes)
                study.add_trial(trial)
            write_results(tmp_path, make_sweep(opponent), preset, study, [SESSION])
        return (tmp_path / "report.md").read_text(), [path.name for path in figures]

    return call


def test_the_report_says_what_the_score_of_the_best_trial_means(write, tmp_path):
    report, _ = write([0.975123, 1.79217, None])
    assert "Trial 1 has the highest score, 1.792: perfect after 20.8% of the training." in report
    assert "| 1 | 1.792 | 0.2078 |" in report
    assert "| 0 | 0.9751 |  |" in report
    comment = (tmp_path / "best.toml").read_text().splitlines()[0]
    assert comment == (
        "# The best of 3 trials, of which 1 stopped early and 0 failed: trial 1, score 1.792"
    )
    assert read_preset(tmp_path / "best.toml").config == PRESET.config


@pytest.mark.parametrize(
    ("scores", "text"),
    [
        ([0.975, 0.975], "Trial 0 is the preset itself: no trial is better."),
        (
            [0.975, 1.5],
            "Trial 0 is the preset itself: trial 1 is better by 0.525 (score 1.5 against 0.975).",
        ),
        ([None, 0.9], "Trial 0 is the preset itself: it has no score (stopped early)."),
    ],
)
def test_the_best_trial_is_compared_with_the_preset(write, tmp_path, scores, text):
    report, _ = write(scores)
    assert text in report
    summary = read_preset(tmp_path / "best.toml").summary
    assert summary == f"Found by a sweep of tic_tac_toe. {text}"


def test_the_report_has_the_best_trials_accuracy_on_the_positions_that_did_not_choose_it(write):
    report, _ = write([0.9, 0.975])
    assert "did not choose it" not in report  # its notes have no accuracy
    measured = {"validation_accuracy": 0.975, "test_accuracy": 0.9375}
    baseline = {"random_accuracy": 0.38, "choice_matters": 0.7062}
    report, _ = write([0.9, 0.975], notes=measured | baseline)
    assert (
        "Trial 1 has the highest score, 0.975: validation accuracy 97.5%. On the half of the "
        "positions that did not choose it, its accuracy with search is 93.75%; uniform random play "
        "has 38% on all of them, and the choice of the move matters in 70.62%."
    ) in report


def test_the_importance_of_each_field_is_a_figure(tmp_path):
    with quiet_optuna():
        study = optuna.create_study(direction="maximize")
        for number in range(4):
            values = SPACE.values_of(SPACE.base)
            study.add_trial(make_trial(SPACE, number, number / 4, values))
        plot_importance(study, tmp_path / "importance.png")
    assert (tmp_path / "importance.png").read_bytes().startswith(b"\x89PNG")
