"""The tables of what studies, their cells, and trials do now."""

import pathlib
import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from azjax.page.studies.links import runs_link, study_link
from azjax.page.studies.progress import Progress
from azjax.page.studies.study_description import StudyDescription
from azjax.page.studies.study_folders import Kind, StudyFolder

_PARTS: dict[Kind, str] = {"study": "cell", "sweep": "trial"}


def list_columns() -> list[dict[str, str]]:
    """Returns the columns of the list of studies and sweeps."""
    return [_column("name", "name"), _column("title", "what it is"), _column("state", "state")]


def list_row(study: StudyFolder, title: str, owner: str) -> dict[str, str]:
    """Returns the row of a study or a sweep.

    Args:
      study: The study or the sweep.
      title: What it is, in one line.
      owner: The process that works on it, in words; empty if there is none.
    """
    has_report = (study.path / "report.md").is_file()
    state = f"in work by {owner}" if owner else "has a report" if has_report else "no report yet"
    link = study_link(study.name)
    return {"key": study.name, "name": study.name, "title": title, "state": state, "link": link}


def part_columns(kind: Kind) -> list[dict[str, str]]:
    """Returns the columns of the table of cells or trials."""
    names = {"name": _PARTS[kind], "state": "state", "iteration": "iteration"}
    return [_column(*pair) for pair in {**names, "accuracy": "accuracy with search"}.items()]


def part_rows(
    runs: pathlib.Path,
    description: StudyDescription,
    progress: Mapping[pathlib.Path, Progress],
    ended: Mapping[str, str],
) -> list[dict[str, Any]]:
    """Returns a row for each cell or trial.

    Args:
      runs: The folder of runs, below which a row leads to its runs.
      description: Of the study or the sweep.
      progress: Of each of its runs.
      ended: How those that have ended have done so, by cell or trial, where that is recorded.
    """
    return [
        _part_row(part, [progress[path] for path in paths], ended.get(part), runs_link(runs, paths))
        for part, paths in description.runs.items()
    ]


def _part_row(part: str, runs: Sequence[Progress], ended: str | None, link: str) -> dict[str, Any]:
    begun = [run for run in runs if run.iteration]
    accuracies = [run.accuracy for run in runs if run.accuracy is not None]
    iterations = sorted({run.iteration for run in begun})
    ends = dict.fromkeys((*iterations[:1], *iterations[-1:]))
    return {
        "key": part,
        "name": part,
        "state": ended if ended and not any(run.is_trained for run in runs) else _describe(runs),
        "iteration": " to ".join(f"{iteration:,}" for iteration in ends),
        "accuracy": f"{statistics.mean(accuracies):.2%}" if accuracies else "",
        "link": link if begun else "",
    }


def _describe(runs: Sequence[Progress]) -> str:
    if not any(run.iteration or run.is_trained for run in runs):
        return "waits"
    if all(run.share >= 1 for run in runs):
        return "finished"
    share = f"{statistics.mean(run.share for run in runs):.0%} done"
    return f"in training, {share}" if any(run.is_trained for run in runs) else share


def _column(name: str, label: str) -> dict[str, str]:
    return {"name": name, "label": label, "field": name, "align": "left"}
