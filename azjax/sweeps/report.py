"""The report of a sweep, in Markdown."""

from collections.abc import Iterator

from optuna.trial import FrozenTrial, TrialState

from azjax.config.limits import Limits
from azjax.config.preset_file import Preset
from azjax.config.run_config import RunConfig
from azjax.support.component import number_fields
from azjax.support.files.tables import Row, markdown_table
from azjax.support.provenance.session_log import ScriptSession, provenance_lines
from azjax.sweeps.figures import FEWEST_FOR_IMPORTANCE
from azjax.sweeps.preset_trial import PresetTrial, compare_with_preset, find_preset_trial
from azjax.sweeps.score_text import (
    describe_test_accuracy,
    explain_score,
    format_number,
    score_meaning,
)
from azjax.sweeps.sweep import Sweep
from azjax.sweeps.trial_table import best_rows, format_cell, has_failed
from azjax.sweeps.trials import FINISHED


def sweep_report(
    sweep: Sweep, preset: Preset, trials: list[FrozenTrial], sessions: list[ScriptSession]
) -> str:
    """Returns the report: the best trials, what their score means, the figures, the conditions.

    Args:
      sweep: The settings of the sweep.
      preset: The preset that the sweep started from.
      trials: The trials of all workers, at least one of them complete.
      sessions: The sessions of the workers.
    """
    best, first = best_rows(sweep, trials), find_preset_trial(sweep, preset, trials)
    parts = [
        f"# A sweep of {sweep.preset}",
        f"{best_trial_text(sweep, trials)} Its configuration is in `best.toml`. "
        f"{compare_with_preset(sweep, best[0], first)}",
        explain_score(sweep),
        "## The best trials",
        _table(best, first),
        "All trials are in `trials.csv`. A trial that was tried again has a new number, and "
        "continues the run of its first attempt.",
        *_figures(trials),
        "## Conditions",
        "\n".join([*_conditions(sweep, trials, sessions), *provenance_lines(sessions)]),
    ]
    return "\n\n".join(parts) + "\n"


def best_trial_text(sweep: Sweep, trials: list[FrozenTrial]) -> str:
    """Returns which trial has the highest score, what that means, and its test accuracy.

    Args:
      sweep: The settings of the sweep.
      trials: The trials of all workers, at least one of them complete.
    """
    best = best_rows(sweep, trials)[0]
    score = best["score"]
    meaning = score_meaning(sweep, score)
    found = f"Trial {best['trial']} has the highest score, {format_number(score)}: {meaning}"
    return f"{found}{_ties(best, trials)}.{describe_test_accuracy(best)}"


def count_text(trials: list[FrozenTrial]) -> str:
    """Returns how many trials are finished, how many were stopped early, and how many failed."""
    failed = sum(has_failed(trial) for trial in trials)
    stopped = _count(trials, TrialState.PRUNED) - failed
    return (
        f"{_count(trials, *FINISHED)} trials, of which {stopped} stopped early and {failed} failed"
    )


def _ties(best: Row, trials: list[FrozenTrial]) -> str:
    """Returns which other trials have exactly the highest score."""
    complete = [trial for trial in trials if trial.state == TrialState.COMPLETE]
    ties = [
        str(trial.number)
        for trial in complete
        if trial.value == best["score"] and trial.number != best["trial"]
    ]
    if not ties:
        return ""
    *others, last = ties
    names = f"trials {', '.join(others)} and {last}" if others else f"trial {last}"
    return f"; {names} tied with it, and the first is called the best"


def _count(trials: list[FrozenTrial], *states: TrialState) -> int:
    return sum(trial.state in states for trial in trials)


def _table(rows: list[Row], first: PresetTrial) -> str:
    columns = list(rows[0])
    cells = [[format_cell(row[name]) for name in columns] for row in rows]
    for row, texts in zip(rows, cells, strict=True):
        if first.is_preset and row["trial"] == first.number:
            texts[columns.index("trial")] += " (the preset itself)"
    return markdown_table(columns, cells)


def _figures(trials: list[FrozenTrial]) -> Iterator[str]:
    yield "## Figures"
    finished = _count(trials, *FINISHED)
    if finished >= FEWEST_FOR_IMPORTANCE:
        yield "How much each field matters for being among the best quarter of the trials:"
        yield "![importance](importance.png)"
    else:
        yield f"Importance needs {FEWEST_FOR_IMPORTANCE} finished trials; there are {finished}."
    yield "Each trial as a line through its values, the better its score the brighter:"
    yield "![parallel_coordinate](parallel_coordinate.png)"


def _conditions(
    sweep: Sweep, trials: list[FrozenTrial], sessions: list[ScriptSession]
) -> Iterator[str]:
    yield f"- command: `{sessions[-1].command}`"
    yield f"- finished: {count_text(trials)}"
    yield f"- training of each: {_length(sweep.trial_limits)}"
    yield f"- search that evaluates all: {_evaluation(sweep.space.base)}"
    yield f"- objective: {sweep.objective}"
    yield f"- seed: {sweep.seed}"


def _length(limits: Limits) -> str:
    return str(limits) if limits.minutes is None else f"{format_number(60 * limits.minutes)} s"


def _evaluation(base: RunConfig) -> str:
    search = base.evaluation_search.without_noise()
    numbers = ", ".join(f"{name} {getattr(search, name):g}" for name in number_fields(type(search)))
    about = f" ({numbers})" if numbers else ""
    return f"{search.name} with {search.num_simulations} simulations, without noise{about}"
