"""The trials of a sweep as rows of a table, and what their scores mean."""

from optuna.trial import FrozenTrial, TrialState

from azjax.support.files.tables import Row
from azjax.sweeps.sweep import Sweep
from azjax.sweeps.trials import NOTES, run_number

# Of a trial's last evaluation. The accuracies are with search on the half of the positions that
# chooses, the same on the half that reports, and by uniform random play on all of them.
NOTED_METRICS = (
    *("seconds", "iteration"),
    *("validation_accuracy", "test_accuracy", "random_accuracy", "choice_matters"),
)
_NOTES = (*NOTED_METRICS, "error")
_STATE_NAMES = {
    TrialState.COMPLETE: "finished",
    TrialState.PRUNED: "stopped early",
    TrialState.FAIL: "tried again",
    TrialState.RUNNING: "running",
    TrialState.WAITING: "queued",
}
_NUM_BEST = 10


def trial_row(sweep: Sweep, trial: FrozenTrial) -> Row:
    """Returns a trial's row: its result, and the values as they were trained."""
    config, notes = sweep.space.config(trial.params), trial.user_attrs.get(NOTES, {})
    score = trial.value if trial.state == TrialState.COMPLETE else None
    return {
        "trial": trial.number,
        "state": "failed" if has_failed(trial) else _STATE_NAMES[trial.state],
        "score": score,
        "share_until_perfect": _share_until_perfect(sweep, score),
        **{name: notes.get(name) for name in _NOTES},
        "run": f"trials/{run_number(trial)}",
        **{n: v for n, v in sweep.space.values_of(config).items() if n in trial.params},
    }


def has_failed(trial: FrozenTrial) -> bool:
    """Tells whether a trial ended with an error."""
    return "error" in trial.user_attrs.get(NOTES, {})


def best_rows(sweep: Sweep, trials: list[FrozenTrial]) -> list[Row]:
    """Returns a row for each of the ten best complete trials, best first, without empty columns."""
    complete = [trial for trial in trials if trial.state == TrialState.COMPLETE]
    best = sorted(complete, key=lambda trial: -trial.values[0])[:_NUM_BEST]
    rows = [trial_row(sweep, trial) for trial in best]
    columns = dict.fromkeys(name for row in rows for name in row if name != "state")
    filled = [name for name in columns if any(row.get(name) is not None for row in rows)]
    return [{name: row.get(name) for name in filled} for row in rows]


def format_number(value: float) -> str:
    """Returns a number with four significant digits, such as 1.792 or 19650."""
    return f"{float(f'{value:.4g}'):g}"


def format_cell(value: object) -> str:
    """Returns the text of a cell, a number with four significant digits."""
    if value is None:
        return ""
    return format_number(value) if isinstance(value, float) else str(value)


def score_meaning(sweep: Sweep, score: float) -> str:
    """Returns what one trial's score means, such as "perfect after 20.8% of the training"."""
    if sweep.objective == "rating":
        return f"Elo above {sweep.opponent}"
    share = _share_until_perfect(sweep, score)
    if share is None:
        return f"validation accuracy {format_number(100 * score)}%"
    return f"perfect after {100 * share:.3g}% of the training"


def _share_until_perfect(sweep: Sweep, score: float | None) -> float | None:
    """Returns the share of its training after which a trial was perfect, or None."""
    if score is None or score <= 1 or sweep.objective != "accuracy":
        return None
    return 2.0 - score
