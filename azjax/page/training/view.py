"""The pages `/training`, of all runs and a form, and `/training/run`, of the curves of some."""

import pathlib
from collections.abc import Callable, Sequence
from typing import Any

from fastapi import Request
from nicegui import ui

from azjax.config.flag_words import shown_value
from azjax.config.plugin_flag import given_plugins
from azjax.config.presets import get_preset, preset_names
from azjax.page.frame import frame, play_link, row_button, run_link
from azjax.page.site import Site
from azjax.page.training.controls import (
    Controls,
    StartRequest,
    free_name,
    read_request,
    shown_command,
    start_arguments,
    suggest_flags,
)
from azjax.page.training.run_view import RunView
from azjax.page.training.runs import (
    WatchedRun,
    describe_accuracy,
    describe_left,
    describe_state,
    describe_states,
)
from azjax.support.errors import InputError

_FIRST = "tic_tac_toe"  # perfect in half a minute on a laptop
_EXAMPLE = "--num-games 256 --optimizer.learning-rate 1e-3"
_MOST_HINTS = 8
_SECONDS_BETWEEN_UPDATES = 1.0  # while somebody looks
_COLUMNS = ["name", "game", "state", "iteration", "minutes", "accuracy", "speed", "left", "play"]
_LABELS = {"name": "run", "speed": "simulations/s", "left": "time left", "play": ""}
_NAME_SLOT = """<q-td :props="props" :class="props.row.is_member ? 'pl-10' : ''">
  <a v-if="props.row.link" :href="props.row.link" class="nicegui-link" :title="props.row.notes"
    :class="props.row.is_population ? 'font-semibold' : ''">{{ props.row.name }}</a>
  <span v-else>{{ props.row.name }}</span>
</q-td>"""
_STATE_SLOT = """<q-td :props="props" class="whitespace-normal">{{ props.row.state }}</q-td>"""
_PLAY_SLOT = """<q-td :props="props">
  <a v-if="props.row.play_link" :href="props.row.play_link" class="nicegui-link">Play it</a>
</q-td>"""


def add_pages(site: Site) -> None:
    """Adds the view."""
    controls = Controls(site.runs)

    @ui.page("/training")
    def training() -> None:
        with frame("Training"):
            form = StartForm(site, controls, lambda name: ui.navigate.to(run_link(name)))
            table = RunTable(site, controls)
        ui.timer(0, form.load, once=True)
        ui.timer(_SECONDS_BETWEEN_UPDATES, table.refresh)

    @ui.page("/training/run")
    def runs(request: Request) -> None:
        with frame("Training"):
            view = RunView(site, controls, request.query_params.getlist("name"))
        ui.timer(_SECONDS_BETWEEN_UPDATES, view.refresh)


class StartForm:
    """Chooses a preset, its overrides and its folder, and shows the command that will run."""

    def __init__(self, site: Site, controls: Controls, on_start: Callable[[str], None]):
        """Builds the form, which calls with the name of the run's folder when it has started."""
        self._site, self._controls, self._on_start = site, controls, on_start
        self._given_name = ""  # by the form, not by the visitor
        with ui.card().classes("w-full gap-2"):
            with ui.row().classes("items-end gap-3 w-full"):
                self._preset = ui.select(
                    [], label="preset", with_input=True, new_value_mode="add-unique"
                )
                self._preset.props("dense options-dense").classes("w-48")
                self._preset.mark("preset").on_value_change(self._choose_preset)
                self._name = self._input("folder", "w-48")
                self._minutes = self._input("minutes", "w-24", "the preset's")
                self._seed = self._input("seed", "w-24", "0")
                self._flags = self._input("flags", "grow", _EXAMPLE)
                self._flags.on_value_change(self._suggest)
            self._hints = ui.label().classes("text-sm font-mono quiet break-all").mark("hints")
            self._summary = ui.label().classes("text-sm quiet")
            self._command = ui.label().classes("text-sm font-mono break-all").mark("command")
            self._error = ui.label().classes("text-sm warning").mark("error")
            self._button = ui.button("Start training", on_click=self._start).props("no-caps")

    async def load(self) -> None:
        """Lists the presets, and chooses the first to try."""
        names = await self._site.worker.access_files(preset_names)
        self._preset.set_options(names, value=_FIRST)

    def _input(self, label: str, classes: str, placeholder: str = "") -> ui.input:
        field = ui.input(label, placeholder=placeholder, on_change=self._show)
        return field.props("dense stack-label").classes(classes).mark(label)

    async def _choose_preset(self) -> None:
        """Proposes a folder, and says what the preset is good for."""
        preset, read = self._preset.value, self._site.worker.access_files
        proposal, summary = await read(_describe_preset, self._site.runs, preset or "")
        if self._preset.value != preset:
            return  # another one has been chosen, and its answer may have come first
        if self._name.value in ("", None, self._given_name):  # after the wait: it may be typed now
            self._given_name = proposal
            self._name.set_value(proposal)
        self._summary.set_text(summary)
        self._show()

    def _request(self) -> StartRequest:
        fields = (self._preset, self._name, self._flags, self._minutes, self._seed)
        return read_request(*(field.value or "" for field in fields))

    def _show(self) -> None:
        """Shows the command, or why there is none."""
        try:
            request = self._request()
        except InputError as error:
            self._command.set_text("")
            self._error.set_text(str(error))
            return
        folder = self._site.runs / request.name
        arguments = start_arguments(request, folder, given_plugins())
        self._command.set_text(shown_command(arguments))
        self._error.set_text("")

    async def _suggest(self) -> None:
        """Shows which flags the last word may become; Tab completes the first."""
        text, preset = self._flags.value or "", self._preset.value or ""
        found = await self._site.worker.access_files(suggest_flags, preset, text)
        if text == self._flags.value:
            head = text[: text.rfind(" ") + 1]
            self._flags.set_autocomplete([head + flag.partition(" ")[0] for flag in found])
            unknown = "no flag is named so" if text[len(head) :].startswith("--") else ""
            self._hints.set_text(", ".join(found[:_MOST_HINTS]) or unknown)

    async def _start(self) -> None:
        self._button.disable()
        try:
            request = self._request()
            await self._site.worker.access_files(self._controls.start, request)
        except InputError as error:
            self._error.set_text(str(error))
            return
        finally:
            self._button.enable()
        self._on_start(request.name)


def _describe_preset(runs: pathlib.Path, preset: str) -> tuple[str, str]:
    """Returns the folder that is proposed for a preset, and what it is good for."""
    proposal = free_name(runs, preset)
    try:
        chosen = get_preset(preset)
    except ValueError:  # the visitor is told when the training is started
        return proposal, ""
    length = f"{chosen.limits} unless minutes are given"
    if chosen.config.stop_when_perfect:
        length += ", or until it is perfect unless flags say --no-stop-when-perfect"
    return proposal, f"{chosen.summary or preset}; {length}"


class RunTable:
    """A row for each run; those that are chosen can be laid over each other."""

    def __init__(self, site: Site, controls: Controls):
        self._site, self._controls = site, controls
        with ui.row().classes("items-center gap-3 w-full"):
            ui.label("Runs").classes("text-lg font-semibold")
            row_button("Lay over each other", self._compare)
            self._filter = ui.input("filter", on_change=self.refresh).classes("w-40").mark("filter")
            self._filter.props("dense clearable")
            self._columns = ui.select([], label="columns", multiple=True, value=[], with_input=True)
            self._columns.props("dense options-dense use-chips").classes("min-w-40 max-w-full")
            self._columns.mark("columns").on_value_change(self._choose_columns)
            self._note = ui.label().classes("text-sm quiet")
        self._table = ui.table(rows=[], columns=[], row_key="key", selection="multiple")
        self._table.classes("w-full").props("dense flat").mark("runs")
        self._table.add_slot("body-cell-name", _NAME_SLOT)
        self._table.add_slot("body-cell-state", _STATE_SLOT)
        self._table.add_slot("body-cell-play", _PLAY_SLOT)

    async def refresh(self) -> None:
        runs = await self._site.worker.access_files(self._controls.monitor.look)
        fields = dict.fromkeys(x for run in runs if run.settings for x in run.settings.fields)
        known = [*_COLUMNS[1:-1], *(x for x in fields if x not in _COLUMNS)]
        if known != self._columns.options:
            self._columns.set_options(known, value=self._columns.value or _COLUMNS[1:-1])
        rows = run_rows(runs, self._columns.value, self._filter.value or "")
        if rows != self._table.rows:
            self._table.rows = rows
        what = "such run" if self._filter.value else "run"
        self._note.set_text("" if rows else f"There is no {what} in {self._site.runs} yet.")

    async def _choose_columns(self) -> None:
        self._table.columns = [
            {"name": name, "label": _LABELS.get(name, name), "field": name, "align": "left"}
            for name in (_COLUMNS[0], *self._columns.value, _COLUMNS[-1])
        ]
        await self.refresh()

    def _compare(self) -> None:
        names = [str(row["key"]).rstrip("/") for row in self._table.selected]
        if names:
            ui.navigate.to(run_link(*names))
        else:
            ui.notify("Choose runs in the table first.")


def run_rows(
    runs: Sequence[WatchedRun], columns: Sequence[str] = (), text: str = ""
) -> list[dict[str, Any]]:
    """Returns a row for each run by name, the members of a population below its row.

    Columns that are fields of the configuration have their values. There are only runs with the
    text in their names, their notes or these columns.
    """
    runs = [run for run in runs if text.lower() in _searched(run, columns).lower()]
    members: dict[str, list[WatchedRun]] = {}
    for run in runs:
        members.setdefault(run.population, []).append(run)
    rows = []
    for run in runs:
        together = members[run.population]
        is_member = bool(run.population) and len(together) > 1
        if is_member and run is together[0]:
            games = [one.settings.game for one in together if one.settings]
            row = {
                "key": f"{run.population}/",
                "name": f"{run.population}/",
                "game": ", ".join(dict.fromkeys(games)),
                "state": describe_states(together),
                "link": run_link(run.population),
                "is_population": True,
            }
            rows.append(row)
        rows.append(_run_row(run, columns, is_member=is_member))
    return rows


def _searched(run: WatchedRun, columns: Sequence[str]) -> str:
    """Returns what the filter of the table looks at."""
    row = _run_row(run, columns)
    return "\n".join([run.name, *run.notes, *(str(row.get(x, "")) for x in columns)])


def _run_row(run: WatchedRun, columns: Sequence[str], *, is_member: bool = False) -> dict[str, Any]:
    row, fields = run.newest.last, run.settings.fields if run.settings else {}
    speed, state = row.get("simulations_per_second"), describe_state(run)
    return {name: shown_value(fields[name]) for name in columns if name in fields} | {
        "key": run.name,
        "name": run.notes.name or (run.name.rpartition("/")[2] if is_member else run.name),
        "notes": f"{run.name}: {run.notes.text}" if run.notes.text else run.name,
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
