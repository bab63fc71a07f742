"""The tables that a study or a sweep has written."""

import pathlib
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from azjax.page.studies.links import runs_link
from azjax.page.studies.study_description import StudyDescription
from azjax.page.studies.study_folders import StudyFolder
from azjax.support.errors import InputError
from azjax.support.files.tables import Row, read_table

_ORDER = ("summary", "comparisons", "verdict", "trials", "final", "play_time", "curves")
_MOST_ROWS = 500
_LARGEST = 2**53  # of the whole numbers that a browser can tell apart
# States of trials that have not ended when they were written; a worker may have died since.
_GOING_ON = ("running", "queued")


class ShownTable(NamedTuple):
    """A table to show."""

    title: str
    columns: list[dict[str, Any]]
    rows: list[dict[str, Any]]
    note: str  # what is left out or wrong; empty if nothing


def list_tables(folder: pathlib.Path) -> list[pathlib.Path]:
    """Returns the CSV files of a folder, those of the results first."""
    files = [file for file in folder.glob("*.csv") if file.is_file() and not file.is_symlink()]
    return sorted(files, key=lambda file: (_rank(file.stem), file.name))


def show_table(file: pathlib.Path, link_of: Callable[[Row], str]) -> ShownTable:
    """Returns a table of a file.

    Args:
      file: A CSV file.
      link_of: Returns the address of the runs of a row, or "".
    """
    try:
        rows = read_table(file)
    except InputError as error:
        return ShownTable(file.stem, [], [], str(error))
    names = list(rows[0]) if rows else []
    left_out = len(rows) - _MOST_ROWS
    note = f"{left_out:,} more rows are in {file.name}" if left_out > 0 else ""
    columns = [
        # Their own names could be anything.
        {"name": f"c{i}", "label": name, "field": f"c{i}", "align": "left", "sortable": True}
        for i, name in enumerate(names)
    ]
    shown = [
        {"key": i, "link": link_of(row)} | {f"c{j}": _cell(row[n]) for j, n in enumerate(names)}
        for i, row in enumerate(rows[:_MOST_ROWS])
    ]
    return ShownTable(file.stem, columns, shown, note)


def row_link(
    runs: pathlib.Path, study: StudyFolder, description: StudyDescription, row: Row
) -> str:
    """Returns the address of the runs of a row of a table; empty if it is of none.

    Args:
      runs: The folder of runs.
      study: The study or the sweep.
      description: Of it.
      row: Of one of its tables.
    """
    if study.kind == "sweep":
        return runs_link(runs, description.runs.get(_trial_of(row), []))
    paths: Sequence[pathlib.Path] = description.runs.get(str(row.get("cell", "")), [])
    if isinstance(row.get("seed"), int):
        paths = [path for path in paths if path.name == f"seed={row['seed']}"]
    return runs_link(runs, paths)


def trial_states(study: StudyFolder) -> dict[str, str]:
    """Returns in words how the trials of a sweep have ended, by their runs; {} for a study."""
    file = study.path / "trials.csv"
    if study.kind != "sweep" or not file.is_file():
        return {}
    try:
        rows = read_table(file)
    except InputError:  # told where the table is shown
        return {}
    states = {_trial_of(row): str(row.get("state", "")) for row in rows}
    return {trial: state for trial, state in states.items() if state not in _GOING_ON}


def _trial_of(row: Row) -> str:
    return str(row.get("run", "")).removeprefix("trials/")


def _rank(stem: str) -> int:
    return _ORDER.index(stem) if stem in _ORDER else len(_ORDER)


def _cell(value: Any) -> Any:
    if isinstance(value, int) and abs(value) > _LARGEST:
        return str(value)
    return float(f"{value:.5g}") if isinstance(value, float) else value
