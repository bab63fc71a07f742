"""The results of a sweep: the best preset, a table of trials, the fields' importance, a report."""

import pathlib
import warnings

import optuna
from optuna.importance import PedAnovaImportanceEvaluator
from optuna.trial import FrozenTrial, TrialState

from azjax.config.preset_file import Preset, write_preset
from azjax.support.component import number_fields
from azjax.support.files.atomic_files import write_figure, write_text_atomically
from azjax.support.files.tables import Row, markdown_table, write_table
from azjax.support.provenance.session_log import ScriptSession, provenance_lines
from azjax.sweeps.sweep import Sweep
from azjax.sweeps.trial_rows import (
    best_rows,
    format_cell,
    format_number,
    has_failed,
    score_meaning,
    trial_row,
)
from azjax.sweeps.trial_table import BEST, TABLE
from azjax.sweeps.trials import FINISHED, is_first

_FEWEST_FOR_IMPORTANCE = 20  # complete trials; from fewer, importance is mostly chance
_IMPORTANCE = "importance.png"
_TEMPLATE = """\
# A sweep of {sweep.preset}

{best} Its configuration is in `best.toml`.

{explanation}

## The best trials

{table}

All trials are in `trials.csv`. A trial that was tried again has a new number, and continues the run
of its first attempt.

{importance}

## Conditions

- command: `{command}`
- finished: {counts}
- training of each: {sweep.trial_limits}
- search that evaluates all: {evaluation}
- objective: {sweep.objective}
- seed: {sweep.seed}
{provenance}
"""
_RATING = """\
The score is the final agent's Elo above {opponent}, by a match: 100 means that it scores 64%
against it."""
_ACCURACY = """\
The score is the validation accuracy at the end of a trial's training T: with search, on one half of
the solved positions. For example, 0.975 is an accuracy of 97.5%. A trial that is perfect on both
halves after a training of t stops, and scores 1 + (1 - t/T): 1.792 is perfect after 20.8% of the
training. The other half of the positions reports: the test accuracy is on positions that did not
choose the trial."""
_SHOWN = f"""\
How much each field matters for being among the best of the complete trials (PED-ANOVA: Watanabe,
Bansal, Hutter, IJCAI 2023):

![importance]({_IMPORTANCE})"""
_NOT_SHOWN = f"Importance needs {_FEWEST_FOR_IMPORTANCE} complete trials."


def write_results(
    folder: pathlib.Path,
    sweep: Sweep,
    preset: Preset,
    study: optuna.Study,
    sessions: list[ScriptSession],
) -> None:
    """Writes the preset, the table, the figure and the report of the trials so far.

    At least one trial of the Optuna study is complete. The first trial is the preset.
    """
    trials = study.get_trials(deepcopy=False)
    rows, counts = best_rows(sweep, trials), _count_text(trials)
    best = rows[0]
    comment = f"The best of {counts}: trial {best['trial']}, score {format_number(best['score'])}"
    config = sweep.space.config(trials[best["trial"]].params)
    comparison = compare_with_preset(sweep, preset, trials)
    summary = f"Found by a sweep of {sweep.preset}. {comparison}"
    write_preset(folder / BEST, preset._replace(config=config, summary=summary), comment)
    write_table(folder / TABLE, [trial_row(sweep, trial) for trial in trials])
    has_importance = _count(trials, TrialState.COMPLETE) >= _FEWEST_FOR_IMPORTANCE
    if has_importance:
        plot_importance(study, folder / _IMPORTANCE)
    search = sweep.space.base.evaluation_search.without_noise()
    numbers = (f", {name} {getattr(search, name):g}" for name in number_fields(type(search)))
    report = _TEMPLATE.format(
        sweep=sweep,
        best=f"{best_trial_text(sweep, trials)} {comparison}",
        explanation=_RATING.format(opponent=sweep.opponent) if sweep.opponent else _ACCURACY,
        table=markdown_table(list(best), [list(map(format_cell, row.values())) for row in rows]),
        importance=_SHOWN if has_importance else _NOT_SHOWN,
        command=sessions[-1].command,
        counts=counts,
        evaluation=f"{search.name}, {search.num_simulations} simulations{''.join(numbers)}",
        provenance="\n".join(provenance_lines(sessions)),
    )
    write_text_atomically(folder / "report.md", report)


def plot_importance(study: optuna.Study, path: pathlib.Path) -> None:
    """Plots the importance of the fields of the complete trials."""
    import matplotlib.pyplot as plt
    from optuna.visualization.matplotlib import plot_param_importances

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # where all scores are alike, the importances are, too
        plot_param_importances(study, evaluator=PedAnovaImportanceEvaluator())
    write_figure(plt.gcf(), path, dpi=200, bbox_inches="tight")
    plt.close()


def best_trial_text(sweep: Sweep, trials: list[FrozenTrial]) -> str:
    """Returns which trial has the highest score, what that means, and its test accuracy."""
    best = best_rows(sweep, trials)[0]
    meaning = score_meaning(sweep, best["score"])
    found = (
        f"Trial {best['trial']} has the highest score, {format_number(best['score'])}: {meaning}."
    )
    if best.get("test_accuracy") is None:
        return found
    shares = (best[name] for name in ("test_accuracy", "random_accuracy", "choice_matters"))
    test, random, choice = (f"{format_number(100 * share)}%" for share in shares)
    return (
        f"{found} On the half of the positions that did not choose it, its accuracy with search is "
        f"{test}; uniform random play has {random} on all of them, and the choice of the move "
        f"matters in {choice}."
    )


def compare_with_preset(sweep: Sweep, preset: Preset, trials: list[FrozenTrial]) -> str:
    """Returns a sentence: which trial is the preset itself, and by how much the best is better.

    Of a preset that was tried again the last attempt counts.
    """
    best: Row = best_rows(sweep, trials)[0]
    first = [trial for trial in trials if is_first(trial)][-1]
    row = trial_row(sweep, first)
    is_preset = sweep.space.config(first.params) == preset.config
    what = (
        "is the preset itself"
        if is_preset
        else "has the preset's values as far as the search space allows them"
    )
    lead = 0.0 if row["score"] is None else best["score"] - row["score"]
    if row["score"] is None:
        found = f"it has no score ({row['state']})"
    elif lead <= 0:
        found = "no trial is better"
    else:
        scores = f"{format_number(best['score'])} against {format_number(row['score'])}"
        found = f"trial {best['trial']} is better by {format_number(lead)} (score {scores})"
    again = " (trial 0, tried again)" if first.number else ""
    return f"Trial {first.number}{again} {what}: {found}."


def _count_text(trials: list[FrozenTrial]) -> str:
    """Returns how many trials are finished, how many were stopped early, and how many failed."""
    failed = sum(map(has_failed, trials))
    stopped = _count(trials, TrialState.PRUNED) - failed
    return (
        f"{_count(trials, *FINISHED)} trials, of which {stopped} stopped early and {failed} failed"
    )


def _count(trials: list[FrozenTrial], *states: TrialState) -> int:
    return sum(trial.state in states for trial in trials)
