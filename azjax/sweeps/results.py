"""The results of a sweep: the best preset, a table of trials, figures and a report."""

import pathlib

import optuna
from optuna.trial import FrozenTrial

from azjax.config.preset_file import Preset, write_preset
from azjax.support.files.atomic_files import write_text_atomically
from azjax.support.files.tables import write_table
from azjax.support.provenance.session_log import ScriptSession
from azjax.sweeps.figures import FEWEST_FOR_IMPORTANCE, plot_importance, plot_parallel_coordinates
from azjax.sweeps.preset_trial import compare_with_preset, find_preset_trial
from azjax.sweeps.report import count_text, sweep_report
from azjax.sweeps.score_text import format_number
from azjax.sweeps.sweep import Sweep
from azjax.sweeps.trial_table import best_rows, trial_row
from azjax.sweeps.trials import FINISHED


def write_results(
    folder: pathlib.Path,
    sweep: Sweep,
    preset: Preset,
    study: optuna.Study,
    sessions: list[ScriptSession],
) -> None:
    """Writes the preset, the table, the figures and the report of the trials so far.

    Args:
      folder: The sweep's folder.
      sweep: The settings of the sweep.
      preset: The preset that the sweep started from.
      study: The Optuna study; at least one trial is complete.
      sessions: The sessions of the workers.
    """
    trials = study.get_trials(deepcopy=False)
    _write_best(folder / "best.toml", sweep, preset, trials)
    write_table(folder / "trials.csv", [trial_row(sweep, trial) for trial in trials])
    finished = [trial for trial in trials if trial.state in FINISHED]
    if len(finished) >= FEWEST_FOR_IMPORTANCE:
        plot_importance(finished, folder / "importance")
    plot_parallel_coordinates(sweep.space, finished, folder / "parallel_coordinate")
    write_text_atomically(folder / "report.md", sweep_report(sweep, preset, trials, sessions))


def _write_best(
    path: pathlib.Path, sweep: Sweep, preset: Preset, trials: list[FrozenTrial]
) -> None:
    best = best_rows(sweep, trials)[0]
    score = format_number(best["score"])
    comment = f"The best of {count_text(trials)}: trial {best['trial']}, score {score}"
    config = sweep.space.config(trials[best["trial"]].params)
    comparison = compare_with_preset(sweep, best, find_preset_trial(sweep, preset, trials))
    summary = f"Found by a sweep of {sweep.preset}. {comparison}"
    write_preset(path, preset._replace(config=config, summary=summary), comment)
