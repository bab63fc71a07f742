"""One study or sweep: its cells or trials, tables, figures and report."""

import dataclasses
import functools
import pathlib
from typing import Any

from nicegui import ui

from azjax.page.site import Site
from azjax.page.studies.figures import figure_links
from azjax.page.studies.progress import ProgressReader
from azjax.page.studies.report import read_report
from azjax.page.studies.slots import LINKED_CELL
from azjax.page.studies.state_rows import part_columns, part_rows
from azjax.page.studies.study_description import StudyDescription, read_study_description
from azjax.page.studies.study_folders import StudyFolder, find_study_folder
from azjax.page.studies.tables import ShownTable, list_tables, row_link, show_table, trial_states
from azjax.support.errors import InputError


@dataclasses.dataclass(frozen=True)
class _Content:
    """What the panel shows."""

    study: StudyFolder
    description: StudyDescription
    parts: list[dict[str, Any]]
    figures: dict[str, str]  # addresses by name
    tables: list[ShownTable]
    report: str


class StudyPanel:
    """What there is of a study, read again as it changes."""

    def __init__(self, site: Site, name: str, progress: ProgressReader):
        """Builds the panel, which is empty until it is refreshed; all visitors share the reader."""
        self._site, self._name, self._progress = site, name, progress
        self._tables: dict[pathlib.Path, tuple[int, ShownTable]] = {}
        self._shown: _Content | None = None
        ui.label(name).classes("text-lg font-semibold")
        self._note = ui.label().classes("text-sm text-slate-600").mark("note")
        self._parts = ui.table(rows=[], columns=[], row_key="key").classes("w-full")
        self._parts.props("dense flat").mark("parts")
        self._parts.add_slot("body-cell-name", LINKED_CELL)
        self._results = ui.column().classes("w-full gap-3")

    async def refresh(self) -> None:
        """Shows what there is now."""
        try:
            content = await self._site.worker.access_files(self._read)
        except (InputError, OSError) as error:  # OSError: a file has just been replaced
            self._note.set_text(str(error))
            return
        before, self._shown = self._shown, content
        self._note.set_text(content.description.title)
        if before is None:
            self._parts.columns = part_columns(content.study.kind)
        if before is None or before.parts != content.parts:
            self._parts.rows = content.parts
        if before is None or _results(before) != _results(content):
            self._show_results(content)

    def _read(self) -> _Content:
        runs = self._site.runs
        study = find_study_folder(runs, self._name)
        description = read_study_description(study)
        progress = {
            path: self._progress.read(path, description.limits)
            for paths in description.runs.values()
            for path in paths
        }
        link_of = functools.partial(row_link, runs, study, description)
        tables = [self._read_table(file, link_of) for file in list_tables(study.path)]
        report = read_report(study.path)
        parts = part_rows(runs, description, progress, trial_states(study))
        return _Content(study, description, parts, figure_links(study), tables, report)

    def _read_table(self, file: pathlib.Path, link_of) -> ShownTable:
        """Returns a table, read again when its file has changed."""
        changed = file.stat().st_mtime_ns
        known = self._tables.get(file)
        if known is None or known[0] != changed:
            known = changed, show_table(file, link_of)
            self._tables[file] = known
        return known[1]

    def _show_results(self, content: _Content) -> None:
        self._results.clear()
        with self._results:
            if content.report:
                with ui.expansion("report.md").classes("w-full"):
                    ui.label(content.report).classes("whitespace-pre-wrap text-sm font-mono")
            for number, table in enumerate(content.tables):
                _show_table(table, is_open=number == 0)
            with ui.element("div").classes("grid grid-cols-1 lg:grid-cols-2 gap-3 w-full"):
                for name, address in content.figures.items():
                    with ui.column().classes("gap-0"):
                        ui.label(name).classes("text-sm text-slate-600")
                        ui.image(address).classes("w-full")


def _results(content: _Content) -> tuple[object, ...]:
    return content.figures, content.tables, content.report


def _show_table(table: ShownTable, *, is_open: bool) -> None:
    with ui.expansion(table.title, value=is_open).classes("w-full"):
        if table.note:
            ui.label(table.note).classes("text-sm text-slate-600")
        shown = ui.table(rows=table.rows, columns=table.columns, row_key="key", pagination=25)
        shown.classes("w-full").props("dense flat").mark(f"table-{table.title}")
        shown.add_slot("body-cell-c0", LINKED_CELL)
