"""The results of a sweep: the best configuration as a preset, a table of trials, a report."""

import pathlib
from collections.abc import Iterator
from typing import Any

import optuna
from optuna.trial import FrozenTrial, TrialState

from azjax.config.preset_file import Preset, write_preset
from azjax.support.atomic_files import write_text_atomically
from azjax.support.session_log import ScriptSession, provenance_lines
from azjax.support.tables import markdown_table, write_table
from azjax.sweeps.figures import (
    FEWEST_FOR_IMPORTANCE,
    plot_importance,
    plot_parallel_coordinates,
)
from azjax.sweeps.search_space import Values
from azjax.sweeps.sweep import Sweep
from azjax.sweeps.trials import FINISHED, NOTES, run_number

_NOTES = ("seconds", "iteration", "accuracy_network", "accuracy_search", "error")
_STATE_NAMES = {
    TrialState.COMPLETE: "finished",
    TrialState.PRUNED: "stopped early",
    TrialState.FAIL: "tried again",
    TrialState.RUNNING: "running",
    TrialState.WAITING: "queued",
}
_NUM_SHOWN = 10


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
      sessions: The finished sessions of the workers on this machine.
    """
    trials = study.get_trials(deepcopy=False)
    best = study.best_trial
    score = f"{_score_name(sweep)} {best.value:g}"
    comment = f"The best of {_count(trials)}: trial {best.number}, {score}"
    best_preset = preset._replace(
        config=sweep.space.config(best.params), summary=f"found by a sweep of {sweep.preset}"
    )
    write_preset(folder / "best.toml", best_preset, comment)
    write_table(folder / "trials.csv", [_row(sweep, trial) for trial in trials])
    finished = [trial for trial in trials if trial.state in FINISHED]
    if len(finished) >= FEWEST_FOR_IMPORTANCE:
        plot_importance(finished, folder / "importance")
    stem = folder / "parallel_coordinate"
    plot_parallel_coordinates(sweep.space, finished, _score_name(sweep), stem)
    write_text_atomically(folder / "report.md", _report(folder, sweep, trials, sessions))


def best_rows(sweep: Sweep, trials: list[FrozenTrial]) -> list[Values]:
    """Returns a row for each of the ten best complete trials, best first, without empty columns."""
    complete = [trial for trial in trials if trial.state == TrialState.COMPLETE]
    best = sorted(complete, key=lambda trial: -trial.values[0])[:_NUM_SHOWN]
    rows = [_row(sweep, trial) for trial in best]
    filled = [name for name in _columns(rows) if any(row.get(name) is not None for row in rows)]
    return [{name: row.get(name) for name in filled if name != "state"} for row in rows]


def format_value(value: Any) -> str:
    """Returns the text of a value in a table."""
    if value is None:
        return ""
    return f"{value:.5g}" if isinstance(value, float) else str(value)


def _row(sweep: Sweep, trial: FrozenTrial) -> Values:
    """Returns a trial's row: its result, and the values as they were trained."""
    config, notes = sweep.space.config(trial.params), trial.user_attrs.get(NOTES, {})
    return {
        "trial": trial.number,
        "state": "failed" if "error" in notes else _STATE_NAMES[trial.state],
        "score": trial.value if trial.state == TrialState.COMPLETE else None,
        **{name: notes.get(name) for name in _NOTES},
        "run": f"trials/{run_number(trial)}",
        **{n: v for n, v in sweep.space.values_of(config).items() if n in trial.params},
    }


def _columns(rows: list[Values]) -> list[str]:
    return list(dict.fromkeys(name for row in rows for name in row))


def _count(trials: list[FrozenTrial]) -> str:
    complete = sum(trial.state == TrialState.COMPLETE for trial in trials)
    stopped = sum(trial.state == TrialState.PRUNED for trial in trials)
    return f"{complete + stopped} trials, of which {stopped} were stopped early or failed"


def _score_name(sweep: Sweep) -> str:
    if sweep.objective == "rating":
        return f"Elo above {sweep.opponent}"
    return "score by accuracy"


def _report(
    folder: pathlib.Path, sweep: Sweep, trials: list[FrozenTrial], sessions: list[ScriptSession]
) -> str:
    best = best_rows(sweep, trials)
    conditions = {
        "command": f"`{sessions[-1].command}`",
        "trials": _count(trials),
        "training time of each": f"{60 * sweep.trial_minutes:.4g} s",
        "objective": _score_name(sweep),
        "seed": sweep.seed,
    }
    parts = [
        f"# A sweep of {sweep.preset}",
        f"Trial {best[0]['trial']} has the highest score, {format_value(best[0]['score'])}; its "
        f"configuration is in `best.toml`. {_explain_score(sweep)}",
        "## The best trials",
        _table(best),
        "All trials are in `trials.csv`. A trial that was tried again has a new number, and "
        "continues the run of its first attempt.",
        *_figures(folder),
        "## Conditions",
        "\n".join(
            [
                *(f"- {name}: {value}" for name, value in conditions.items()),
                *provenance_lines(sessions),
            ]
        ),
    ]
    return "\n\n".join(parts) + "\n"


def _figures(folder: pathlib.Path) -> Iterator[str]:
    yield "## Figures"
    if (folder / "importance.png").exists():
        yield "How much each field matters for being among the best quarter of the trials:"
        yield "![importance](importance.png)"
    else:
        yield f"The importance of the fields is plotted from {FEWEST_FOR_IMPORTANCE} trials on."
    yield "Each trial as a line through its values:"
    yield "![parallel_coordinate](parallel_coordinate.png)"


def _explain_score(sweep: Sweep) -> str:
    if sweep.objective == "rating":
        return f"The score is the final agent's Elo above {sweep.opponent}, by a match."
    return (
        "The score is the mean of the accuracies of the network alone and with search at the end "
        "of a trial's training time T. A trial that is perfect after a time t stops, and scores "
        "1 + (1 - t/T)."
    )


def _table(rows: list[Values]) -> str:
    columns = _columns(rows)
    return markdown_table(columns, [[format_value(row[name]) for name in columns] for row in rows])
