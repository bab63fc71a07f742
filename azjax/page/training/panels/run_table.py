"""The table of all runs, which is up to date as long as somebody looks at it."""

from nicegui import ui

from azjax.page.buttons import row_button
from azjax.page.links import run_link
from azjax.page.site import Site
from azjax.page.training.controls import Controls
from azjax.page.training.panels.run_rows import run_columns, run_rows

_NAME_SLOT = """<q-td :props="props" :class="props.row.is_member ? 'pl-10' : ''">
  <a v-if="props.row.link" :href="props.row.link" class="nicegui-link"
    :class="props.row.is_population ? 'font-semibold' : ''">{{ props.row.name }}</a>
  <span v-else>{{ props.row.name }}</span>
</q-td>"""
_STATE_SLOT = """<q-td :props="props" class="whitespace-normal">{{ props.row.state }}</q-td>"""
_PLAY_SLOT = """<q-td :props="props">
  <a v-if="props.row.play_link" :href="props.row.play_link" class="nicegui-link">Play it</a>
</q-td>"""


class RunTable:
    """A row for each run; those that are chosen can be laid over each other."""

    def __init__(self, site: Site, controls: Controls):
        """Builds the table, which is empty until it is refreshed."""
        self._site, self._controls = site, controls
        with ui.row().classes("items-center gap-3"):
            ui.label("Runs").classes("text-lg font-semibold")
            row_button("Lay over each other", self._compare)
            self._note = ui.label().classes("text-sm text-slate-600")
        self._table = ui.table(
            rows=[], columns=run_columns(), row_key="key", selection="multiple"
        ).classes("w-full")
        self._table.props("dense flat").mark("runs")
        self._table.add_slot("body-cell-name", _NAME_SLOT)
        self._table.add_slot("body-cell-state", _STATE_SLOT)
        self._table.add_slot("body-cell-play", _PLAY_SLOT)

    async def refresh(self) -> None:
        """Shows the runs as they are now."""
        rows = run_rows(await self._site.worker.access_files(self._controls.monitor.look))
        if rows != self._table.rows:
            self._table.rows = rows
        self._note.set_text("" if rows else f"There is no run in {self._site.runs} yet.")

    def _compare(self) -> None:
        names = [str(row["key"]).rstrip("/") for row in self._table.selected]
        if names:
            ui.navigate.to(run_link(*names))
        else:
            ui.notify("Choose runs in the table first.")
