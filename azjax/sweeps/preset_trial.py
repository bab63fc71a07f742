"""The trial of the preset itself, and how the best trial compares with it."""

from typing import NamedTuple

from optuna.trial import FrozenTrial

from azjax.config.preset_file import Preset
from azjax.support.files.tables import Row
from azjax.sweeps.score_text import format_number
from azjax.sweeps.sweep import Sweep
from azjax.sweeps.trial_table import trial_row
from azjax.sweeps.trials import is_first


class PresetTrial(NamedTuple):
    """The trial from which a sweep starts; the last attempt, if it was tried again."""

    number: int
    state: str
    score: float | None
    is_preset: bool  # False where the search space leaves out or fixes a value of the preset


def find_preset_trial(sweep: Sweep, preset: Preset, trials: list[FrozenTrial]) -> PresetTrial:
    """Returns the trial from which a sweep starts.

    Args:
      sweep: The settings of the sweep.
      preset: The preset that the sweep started from.
      trials: The trials of all workers, at least one.
    """
    first = [trial for trial in trials if is_first(trial)][-1]
    row = trial_row(sweep, first)
    is_preset = sweep.space.config(first.params) == preset.config
    return PresetTrial(first.number, row["state"], row["score"], is_preset)


def compare_with_preset(sweep: Sweep, best: Row, first: PresetTrial) -> str:
    """Returns a sentence: which trial is the preset itself, and by how much the best is better."""
    number = f"{first.number}" + " (trial 0, tried again)" * (first.number > 0)
    if first.is_preset:
        return f"Trial {number} is the preset itself: {_lead(sweep, best, first, 'the preset')}."
    return (
        f"Trial {number} has the preset's values as far as the search space allows them: "
        f"{_lead(sweep, best, first, f'trial {first.number}')}."
    )


def _lead(sweep: Sweep, best: Row, first: PresetTrial, name: str) -> str:
    if first.score is None:
        return f"it has no score ({first.state})"
    lead = best["score"] - first.score
    if lead <= 0:
        return f"no trial is better than {name}"
    unit = " Elo" if sweep.objective == "rating" else ""
    scores = f"{format_number(best['score'])} against {format_number(first.score)}"
    return (
        f"trial {best['trial']} is better than {name} by {format_number(lead)}{unit} "
        f"(score {scores})"
    )
