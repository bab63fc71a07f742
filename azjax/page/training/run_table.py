"""The table of all runs, which is up to date as long as somebody looks at it."""

from collections.abc import Sequence
from typing import Any

from nicegui import ui

from azjax.page.frame import play_link, row_button, run_link
from azjax.page.site import Site
from azjax.page.training.controls import Controls
from azjax.page.training.phrases import (
    describe_accuracy,
    describe_left,
    describe_state,
    describe_states,
)
from azjax.page.training.runs import WatchedRun

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
        columns = [
            {"name": name, "label": label, "field": name, "align": "left"}
            for name, label in _LABELS.items()
        ]
        self._table = ui.table(rows=[], columns=columns, row_key="key", selection="multiple")
        self._table.classes("w-full").props("dense flat").mark("runs")
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
    return {
        "key": f"{name}/",
        "name": f"{name}/",
        "game": ", ".join(dict.fromkeys(run.settings.game for run in runs if run.settings)),
        "state": describe_states(runs),
        "link": run_link(name),
        "is_population": True,
    }


def _run_row(run: WatchedRun, *, is_member: bool) -> dict[str, Any]:
    row = run.newest.last
    speed, state = row.get("simulations_per_second"), describe_state(run)
    return {
        "key": run.name,
        "name": run.name.rpartition("/")[2] if is_member else run.name,
        "game": run.settings.game if run.settings else "",
        "state": f"{state}: {run.error}" if run.error else state,
        "iteration": f"{run.newest.iteration:,}" if row else "",
        "minutes": f"{row['seconds'] / 60:.1f}" if row else "",
        "accuracy": describe_accuracy(run),
        "speed": f"{speed:,.0f}" if speed is not None else "",
        "left": describe_left(run),
        "link": "" if run.state == "damaged" else run_link(run.name),
        "play_link": play_link(run.name) if run.has_network else "",
        "is_member": is_member,
    }
