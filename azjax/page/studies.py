"""The pages at `/studies` and `/studies/one`: the verdicts and reports of studies and sweeps."""

import contextlib
import pathlib
import re
from typing import Any
from urllib.parse import urlencode

from fastapi import HTTPException
from fastapi.responses import FileResponse
from nicegui import app, ui

from azjax.page.charts import add_chart, line_chart, plot
from azjax.page.frame import frame, grid, row_button, run_link
from azjax.page.runs_folder import find_folders, name_below, path_below
from azjax.page.site import Site
from azjax.page.values import FIRST
from azjax.support.errors import InputError, reading_errors
from azjax.support.files.reading import read_text
from azjax.sweeps.trial_table import TrialTable, read_trials

REPORT = "report.md"
_BESIDE = ("studies", "sweeps")  # beside the folder of runs, where scripts put theirs
_TYPES = {".png": "image/png", ".csv": "text/csv"}  # of the files that a report leads to
_RELATIVE_TARGET = re.compile(r"(?<=\]\()(?![a-z]+:|[/#])[^()\s]+(?=\))")  # of a Markdown link

_TABLE_CELL = re.compile(r"(?<=^\| )\w[\w=./-]*(?= \|)|(?<= \| )trials/\d+(?= \|)", re.MULTILINE)
_STYLES = """
.report h1{font-size:1.5rem;line-height:2rem;font-weight:600}
.report h2{font-size:1.2rem;line-height:2rem;font-weight:600}
.report img{max-width:100%;max-height:34rem;background:#fff;border-radius:4px}
"""
_LOG_FROM = 20  # the ratio of the largest value to the smallest
_STATES = (  # of trials, with the column of their scores, and their colour
    ("stopped early", "validation_accuracy", "#94a3b8"),
    ("finished", "score", FIRST),
)


def add_pages(site: Site) -> None:
    """Adds the view."""

    @ui.page("/studies")
    async def studies() -> None:
        names = await site.worker.access_files(list_reports, site.runs)
        with frame("Studies"):
            if not names:
                ui.label(
                    f"There is no report of a study or a sweep in {site.runs}, nor beside it: the "
                    "scripts of experiments/ make them."
                )
            for name in names:
                verdict = await site.worker.access_files(read_verdict, site.runs, name)
                ui.link(name, _address("one", name=name)).classes("font-semibold")
                _add_text(verdict)

    @ui.page("/studies/one")
    async def study(name: str = "") -> None:
        with frame("Studies"):
            try:
                report = await site.worker.access_files(read_report, site.runs, name)
                trials = await site.worker.access_files(find_trials, site.runs, name)
            except InputError as error:
                ui.label(str(error))
                return
            verdict, heading, rest = report.partition("\n## ")
            _add_text(verdict).mark("verdict")
            if trials:
                show_trials(trials)
            _add_text(heading + rest)

    @app.get("/studies/file")
    async def file(name: str, file: str) -> FileResponse:
        try:
            path = await site.worker.access_files(find_file, site.runs, name, file)
        except InputError as error:
            raise HTTPException(404, str(error)) from error
        headers = {"X-Content-Type-Options": "nosniff"}
        return FileResponse(path, media_type=_TYPES[path.suffix], headers=headers)


def _add_text(markdown: str) -> ui.markdown:
    ui.add_css(_STYLES)
    text = ui.markdown(markdown, extras=["tables", "fenced-code-blocks", "code-friendly"])
    return text.classes("w-full max-w-6xl overflow-x-auto report")


def list_reports(runs: pathlib.Path) -> list[str]:
    """Returns the names of the studies and sweeps that have a report; links are not followed.

    A name is such as `studies/ablate_hex`: which folder it is in, and its path from there.
    """
    found = (
        f"{root}/{name_below(folder, path)}"
        for root, folder in _roots(runs).items()
        for path in find_folders(folder, lambda path: (path / REPORT).is_file())
    )
    return sorted(filter(str.isprintable, found))


def read_report(runs: pathlib.Path, name: str) -> str:
    """Returns the report of a study or a sweep, in Markdown: its first figure after the verdict.

    Its tables lead to its runs below the folder of runs, and its end to the files of tables.

    Raises:
      InputError: There is none, or it cannot be read.
    """
    path = _locate(runs, name, REPORT)
    with reading_errors(path):
        text = read_text(path)
        tables = sorted(file.name for file in path.parent.glob("*.csv"))
    if tables:
        text += "\n\nTables: " + ", ".join(f"[{table}]({table})" for table in tables)
    parts = text.split("\n\n")
    if figure := next((part for part in parts if part.startswith("![")), None):
        parts.remove(figure)
        after = next((i for i, part in enumerate(parts) if i > 1 and part[:2] != "**"), len(parts))
        text = "\n\n".join([*parts[:after], figure, *parts[after:]])

    def lead_to_runs(found: re.Match[str]) -> str:
        for folder in (path.parent / "runs" / found[0], path.parent / found[0]):
            if folder.is_dir() and folder.is_relative_to(runs):
                return f"[{found[0]}]({run_link(name_below(runs, folder))})"
        return found[0]

    text = _TABLE_CELL.sub(lead_to_runs, text)
    return _RELATIVE_TARGET.sub(lambda found: _address("file", name=name, file=found[0]), text)


def read_verdict(runs: pathlib.Path, name: str) -> str:
    """Returns what a report begins with, after its title; nothing if it cannot be read."""
    with contextlib.suppress(InputError, IndexError):
        return read_report(runs, name).split("\n\n")[1]
    return ""


def find_trials(runs: pathlib.Path, name: str) -> TrialTable | None:
    """Returns the trials of a sweep, if it is one; InputError if they cannot be read."""
    return read_trials(_locate(runs, name, REPORT).parent)


def show_trials(trials: TrialTable) -> None:
    """Adds the command of the best trial, and the scores over each swept number."""
    if trials.command:
        with ui.row().classes("items-center gap-3"):
            ui.label(trials.command).classes("font-mono text-sm break-all").mark("best")
            row_button("Copy", lambda: ui.clipboard.write(trials.command))
    with grid("md:grid-cols-2 xl:grid-cols-3"):
        for field in trials.swept:
            plot(add_chart(field), sweep_chart(trials, field))


def sweep_chart(trials: TrialTable, field: str) -> dict[str, Any]:
    """Returns the scores of trials over the values of a swept number.

    Those that were stopped early have the accuracy that they had then.
    """
    series: list[dict[str, Any]] = []
    for state, column, colour in _STATES:
        points = trials.scores(state, column, field)
        data = [{"name": f"trial {number}", "value": point} for number, *point in points]
        looks = {"symbolSize": 8, "itemStyle": {"color": colour}}
        series.append({"name": state, "type": "scatter", "data": data} | looks)
    best = {"name": "best", "xAxis": trials.best[field], "yAxis": trials.best["score"]}
    series[-1]["markPoint"] = {"data": [best], "symbol": "circle", "symbolSize": 14}
    values = [row[field] for row in trials.rows]
    is_log = min(values) > 0 and max(values) > _LOG_FROM * min(values)
    x_axis = {"type": "log" if is_log else "value", "scale": True}
    options = line_chart(field, x_axis, {"scale": True}, series)
    return options | {"tooltip": {"formatter": "{b}: {c}"}}


def find_file(runs: pathlib.Path, name: str, file: str) -> pathlib.Path:
    """Returns the path of a figure or a table of a study or a sweep.

    Raises:
      InputError: There is no such file.
    """
    path = _locate(runs, name, file)
    if path.suffix not in _TYPES or not path.is_file():
        raise InputError(f"{name} has no figure and no table {file}")
    return path


def _address(page: str, **query: str) -> str:
    return f"/studies/{page}?{urlencode(query)}"


def _locate(runs: pathlib.Path, name: str, file: str) -> pathlib.Path:
    """Returns the path of a file in the folder of a study or a sweep that has a report."""
    root, _, rest = name.partition("/")
    folder = _roots(runs).get(root)
    if folder is None or not path_below(folder, f"{rest}/{REPORT}").is_file():
        raise InputError(f"there is no report of {name[:200]!r}")
    return path_below(folder, f"{rest}/{file}")


def _roots(runs: pathlib.Path) -> dict[str, pathlib.Path]:
    """Returns the folders that hold studies and sweeps, by the first part of their names."""
    return {"runs": runs} | {name: runs.parent / name for name in _BESIDE}
