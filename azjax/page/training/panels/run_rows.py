"""The table of all runs."""

from collections.abc import Sequence
from typing import Any

from azjax.page.links import play_link, run_link
from azjax.page.training.runs.monitor import WatchedRun
from azjax.page.training.runs.run_phrases import describe_accuracy, describe_left, describe_states
from azjax.page.training.runs.state import describe_state

_LABELS = {
    "name": "run",
    "game": "game",
    "state": "state",
    "iteration": "iteration",
    "minutes": "minutes",
    "accuracy": "accuracy",
    "speed": "simulations/s",
    "left": "time left",
    "play": "",
}


def run_columns() -> list[dict[str, str]]:
    """Returns the columns of the table."""
    return [
        {"name": name, "label": label, "field": name, "align": "left"}
        for name, label in _LABELS.items()
    ]


def run_rows(runs: Sequence[WatchedRun]) -> list[dict[str, Any]]:
    """Returns a row for each run, those of a population below a row of their own.

    Args:
      runs: In the order of their names.
    """
    members: dict[str, list[WatchedRun]] = {}
    for run in runs:
        members.setdefault(run.population, []).append(run)
    rows = []
    for run in runs:
        together = members[run.population]
        is_member = bool(run.population) and len(together) > 1
        if is_member and run is together[0]:
            rows.append(_population_row(run.population, together))
        rows.append(_run_row(run, is_member=is_member))
    return rows


def _population_row(name: str, runs: Sequence[WatchedRun]) -> dict[str, Any]:
    return _row(
        key=f"{name}/",
        name=f"{name}/",
        game=", ".join(dict.fromkeys(run.settings.game for run in runs if run.settings)),
        state=describe_states(runs),
        link=run_link(name),
        is_population=True,
    )


def _run_row(run: WatchedRun, *, is_member: bool) -> dict[str, Any]:
    row = run.newest.last
    speed = row.get("simulations_per_second")
    state = describe_state(run.state, run.owner)
    return _row(
        key=run.name,
        name=run.name.rpartition("/")[2] if is_member else run.name,
        game=run.settings.game if run.settings else "",
        state=f"{state}: {run.error}" if run.error else state,
        iteration=f"{run.newest.iteration:,}" if row else "",
        minutes=f"{row['seconds'] / 60:.1f}" if row else "",
        accuracy=describe_accuracy(run),
        speed=f"{speed:,.0f}" if speed is not None else "",
        left=describe_left(run),
        link="" if run.state == "damaged" else run_link(run.name),
        play_link=play_link(run.name) if run.has_network else "",
        is_member=is_member,
    )


def _row(key: str, **values: str | bool) -> dict[str, Any]:
    """Returns a row of the table, empty where no value is given."""
    empty = {"link": "", "play_link": "", "is_member": False, "is_population": False}
    return {"key": key, **dict.fromkeys(_LABELS, ""), **empty, **values}
