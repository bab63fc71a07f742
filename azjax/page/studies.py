"""The pages at `/studies` and `/studies/one`: the reports of studies and sweeps."""

import pathlib
import re
from urllib.parse import urlencode

from fastapi import HTTPException
from fastapi.responses import FileResponse
from nicegui import app, ui

from azjax.page.frame import frame
from azjax.page.runs_folder import find_folders, name_below, path_below
from azjax.page.site import Site
from azjax.support.errors import InputError, reading_errors
from azjax.support.files.reading import read_text

REPORT = "report.md"
_BESIDE = ("studies", "sweeps")  # beside the folder of runs, where scripts put theirs
_TYPES = {".png": "image/png", ".csv": "text/csv"}  # of the files that a report leads to
_RELATIVE_TARGET = re.compile(r"(?<=\]\()(?![a-z]+:|[/#])[^()\s]+(?=\))")  # of a Markdown link


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
                ui.link(name, _address("one", name=name))

    @ui.page("/studies/one")
    async def study(name: str = "") -> None:
        with frame("Studies"):
            try:
                report = await site.worker.access_files(read_report, site.runs, name)
                ui.markdown(report).classes("w-full overflow-x-auto").mark("report")
            except InputError as error:
                ui.label(str(error))

    @app.get("/studies/file")
    async def file(name: str, file: str) -> FileResponse:
        try:
            path = await site.worker.access_files(find_file, site.runs, name, file)
        except InputError as error:
            raise HTTPException(404, str(error)) from error
        headers = {"X-Content-Type-Options": "nosniff"}
        return FileResponse(path, media_type=_TYPES[path.suffix], headers=headers)


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
    """Returns the report of a study or a sweep, in Markdown, with links to its tables at the end.

    Raises:
      InputError: There is none, or it cannot be read.
    """
    path = _locate(runs, name, REPORT)
    with reading_errors(path):
        text = read_text(path)
        tables = sorted(file.name for file in path.parent.glob("*.csv"))
    if tables:
        text += "\n\nTables: " + ", ".join(f"[{table}]({table})" for table in tables)
    return _RELATIVE_TARGET.sub(lambda found: _address("file", name=name, file=found[0]), text)


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
