"""The state of a run, and what is left of it."""

from typing import Literal

from azjax.config.limits import Limits
from azjax.page.newest_metrics import Newest
from azjax.page.training.runs.run_settings import RunSettings
from azjax.runs.evaluation.endings import find_ending
from azjax.support.files.ownership import Owner
from azjax.support.files.tables import Row

State = Literal[
    "starting", "compiling", "training", "stopping", "stopped", "finished", "failed", "damaged"
]

UNFINISHED: tuple[State, ...] = ("stopped", "failed")  # but not in training


def find_state(
    settings: RunSettings, newest: Newest, owner: Owner | None, *, is_stopping: bool = False
) -> State:
    """Returns the state of a run.

    Args:
      settings: Its settings.
      newest: Its newest metrics.
      owner: The process that trains it, if there is one.
      is_stopping: Whether that process has been asked to stop.
    """
    if owner and is_stopping:
        return "stopping"
    if owner:
        is_of_owner = newest.changed_at >= owner.since
        return "training" if newest.iteration and is_of_owner else "compiling"
    return "finished" if newest.iteration and _is_finished(settings, newest.last) else "stopped"


def describe_state(state: State, owner: Owner | None) -> str:
    """Returns a state in words, with the process that trains."""
    if owner is None:
        return state
    return f"{state} by {owner.name}" if state == "training" else f"{state}, {owner.name}"


def seconds_left(limits: Limits, row: Row) -> float | None:
    """Returns the seconds of training that a run has left, or None if that is not known.

    Args:
      limits: Those of the run.
      row: Its newest metrics; empty if there are none.
    """
    if not row.get("iteration") or not row["seconds"]:
        return None
    share = limits.share_done(row["iteration"], row["seconds"])
    return row["seconds"] * (1 - share) / share if share else None


def _is_finished(settings: RunSettings, row: Row) -> bool:
    ending = find_ending(
        row, settings.limits, stop_when_perfect=settings.stop_when_perfect, rounds=settings.rounds
    )
    return ending is not None
