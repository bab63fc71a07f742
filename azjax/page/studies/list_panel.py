"""The list of all studies and sweeps."""

from nicegui import ui

from azjax.page.owners import OwnerWatch
from azjax.page.site import Site
from azjax.page.studies.slots import LINKED_CELL, WRAPPED_CELL
from azjax.page.studies.state_rows import list_columns, list_row
from azjax.page.studies.study_description import describe_study
from azjax.page.studies.study_folders import list_study_folders


class ListPanel:
    """A row for each study or sweep."""

    def __init__(self, site: Site, owners: OwnerWatch):
        """Builds the list, which is empty until it is refreshed; all visitors share the watch."""
        self._site, self._owners = site, owners
        self._note = ui.label().classes("text-sm text-slate-600").mark("note")
        self._table = ui.table(rows=[], columns=list_columns(), row_key="key").classes("w-full")
        self._table.props("dense flat").mark("studies")
        self._table.add_slot("body-cell-name", LINKED_CELL)
        self._table.add_slot("body-cell-title", WRAPPED_CELL)

    async def refresh(self) -> None:
        """Shows what there is now."""
        rows = await self._site.worker.access_files(self._read)
        if rows != self._table.rows:
            self._table.rows = rows
        self._note.set_text(
            f"There is no study and no sweep in {self._site.runs}, nor beside it: the scripts of "
            "experiments/ make them."
        )
        self._note.set_visibility(not rows)
        self._table.set_visibility(bool(rows))

    def _read(self) -> list[dict[str, str]]:
        rows = []
        for study in list_study_folders(self._site.runs):
            owner = next(filter(None, map(self._owners.find, study.list_owned())), None)
            rows.append(list_row(study, describe_study(study), owner.name if owner else ""))
        return rows
