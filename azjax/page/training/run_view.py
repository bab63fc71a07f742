"""The curves of some runs, laid over each other, and a card for each of them."""

import functools
from collections.abc import Awaitable, Callable, Sequence

from nicegui import ui

from azjax.page.frame import evolution_link, grid, play_link, row_button, run_link
from azjax.page.site import Site
from azjax.page.training.chart_grid import ChartGrid
from azjax.page.training.controls import Controls
from azjax.page.training.run_panel import RunPanel
from azjax.page.training.runs import (
    UNFINISHED,
    WatchedRun,
    can_stop,
    describe_run,
    describe_state,
    describe_states,
    describe_stop,
    label_runs,
    select_runs,
    share_done,
)
from azjax.page.values import SERIES
from azjax.runs.reporting.growing_metrics import MetricsTail
from azjax.runs.storage.run_directory import METRICS
from azjax.support.errors import InputError

_MOST_RUNS = 16
_SHOWS_LOG = ("starting", "compiling", "failed")
_COLUMNS = "md:grid-cols-2 xl:grid-cols-3"

OnName = Callable[[str], Awaitable[None]]


class RunView:
    """The runs of some names; a name of a folder stands for all runs in it."""

    def __init__(self, site: Site, controls: Controls, names: list[str]):
        self._site, self._controls, self._names = site, controls, names
        self._cards: dict[str, RunCard] = {}
        self._populations: dict[str, tuple[ui.label, TrainingButtons]] = {}
        self._tails: dict[str, MetricsTail] = {}
        self._note = ui.label().classes("text-sm quiet")
        self._damage = ui.label().classes("text-sm warning")
        self._card_grid = grid(_COLUMNS)
        self._about = ui.column().classes("w-full gap-2")
        self._charts = ChartGrid(site.worker)

    async def refresh(self) -> None:
        read, monitor = self._site.worker.access_files, self._controls.monitor
        found = select_runs(await read(monitor.look), self._names)
        runs = {run.name: run for run in found[:_MOST_RUNS]}
        is_alone = len(runs) == 1
        logs = {
            name: await read(monitor.read_log, name) if is_alone or run.state in _SHOWS_LOG else []
            for name, run in runs.items()
        }
        _show_text(self._note, _note(self._names, len(found)))
        self._show_cards(runs, found, logs)
        self._show_panel(list(runs.values()))
        for name, run in runs.items():
            self._tails.setdefault(name, MetricsTail(run.path / METRICS))
        metrics = {name: await read(self._tails[name].read) for name in runs}
        labels = label_runs(list(runs.values()))
        await self._charts.show({labels[name]: one.curves for name, one in metrics.items()})
        errors = [f"{name}: {one.error}" for name, one in metrics.items() if one.error]
        _show_text(self._damage, "; ".join(errors))

    def _show_cards(
        self, runs: dict[str, WatchedRun], found: list[WatchedRun], logs: dict[str, list[str]]
    ) -> None:
        """Shows a card for each run, and for each folder of several."""
        members = {name: select_runs(found, [name]) for name in self._names if name not in runs}
        populations = {name: together for name, together in members.items() if len(together) > 1}
        if [*runs, *populations] != [*self._cards, *self._populations]:
            self._build_cards(list(runs), list(populations))
        for name, together in populations.items():
            title, buttons = self._populations[name]
            title.set_text(f"{name}/ {describe_states(together)}")
            buttons.show(together)
        for name, run in runs.items():
            self._cards[name].show(run, logs[name])

    def _show_panel(self, runs: Sequence[WatchedRun]) -> None:
        """Shows once what a run is that is alone, and keeps what somebody is writing there."""
        if len(runs) == 1 and runs[0].settings and not self._about.default_slot.children:
            with self._about:
                RunPanel(runs[0], runs[0].settings, self._controls, self._try)

    def _build_cards(self, names: list[str], populations: list[str]) -> None:
        self._card_grid.clear()
        with self._card_grid:
            self._populations = {name: self._build_population(name) for name in populations}
            self._cards = {
                name: RunCard(name, SERIES[number % len(SERIES)], self._stop, self._resume)
                for number, name in enumerate(names)
            }

    def _build_population(self, name: str) -> tuple[ui.label, "TrainingButtons"]:
        with ui.card().classes("gap-1"):
            title = ui.label().classes("font-semibold")
            with ui.row().classes("gap-2"):
                return title, TrainingButtons(name, self._stop, self._resume)

    async def _stop(self, name: str) -> None:
        if await self._try(lambda: self._controls.stop(name)):
            ui.notify(f"{name}: its process saves, and stops.")

    async def _resume(self, name: str) -> None:
        if await self._try(lambda: self._controls.resume(name)):
            ui.notify(f"{name}: it goes on in a moment.")

    async def _try(self, action: Callable[[], None]) -> bool:
        """Does something with a run; tells whether it was done, and else why not."""
        try:
            await self._site.worker.access_files(action)
        except InputError as error:
            ui.notify(str(error), type="warning", multi_line=True)
            return False
        finally:
            await self.refresh()
        return True


class RunCard:
    """The card of one run, in the colour that it has in the charts."""

    def __init__(self, name: str, colour: str, on_stop: OnName, on_resume: OnName):
        """Builds the card; the callables are as for `TrainingButtons`."""
        with ui.card().classes("gap-1").style(f"border-left: 6px solid {colour}"):
            with ui.row().classes("items-baseline gap-3"):
                self._name = ui.link(name, run_link(name)).classes("font-semibold break-all")
                self._state = ui.label().classes("text-sm")
            self._numbers = ui.label().classes("text-sm quiet")
            self._share = ui.linear_progress(0, show_value=False).props("instant-feedback")
            self._error = ui.label().classes("text-sm warning")
            with ui.row().classes("gap-2"):
                self._buttons = TrainingButtons(name, on_stop, on_resume)
                links = {"Play it": play_link(name), "Evolution": evolution_link(name)}
                self._links = [
                    row_button(text, functools.partial(ui.navigate.to, link))
                    for text, link in links.items()
                ]
            self._log = ui.label().classes("text-xs font-mono whitespace-pre-wrap break-all")

    def show(self, run: WatchedRun, log: Sequence[str]) -> None:
        """Shows the run as it is now, and the last lines of its log."""
        self._name.set_text(run.title)
        self._state.set_text(describe_state(run))
        self._numbers.set_text(describe_run(run))
        self._share.set_value(share_done(run))
        _show_text(self._error, "" if run.error in log else run.error)
        self._buttons.show([run])
        for link in self._links:
            link.set_visibility(run.has_network)
        _show_text(self._log, "\n".join(log))


class TrainingButtons:
    """The buttons that stop a training, and go on with it."""

    def __init__(self, name: str, on_stop: OnName, on_resume: OnName):
        """Builds the buttons; they call with the name of a run, or of a population's folder."""
        self._stop = row_button("Stop", lambda: on_stop(name))
        self._resume = row_button("Resume", lambda: on_resume(name))

    def show(self, runs: Sequence[WatchedRun]) -> None:
        """Shows what can be done with the runs as they are now, and how many runs a stop ends."""
        self._stop.set_text(describe_stop(runs))
        is_trained = any(run.owner for run in runs)
        self._stop.set_enabled(can_stop(runs))
        can_go_on = any(
            run.state in UNFINISHED and run.settings and not run.settings.is_trial for run in runs
        )
        self._stop.set_visibility(is_trained)
        self._resume.set_visibility(can_go_on and not is_trained)


def _show_text(label: ui.label, text: str) -> None:
    """Shows a text; an empty one takes no place."""
    label.set_text(text)
    label.set_visibility(bool(text))


def _note(names: list[str], num_found: int) -> str:
    if not names:
        return "Choose runs in the table of trainings."
    if not num_found:
        return f"There is no run {', '.join(names)}."
    return f"The first {_MOST_RUNS} of {num_found} runs." if num_found > _MOST_RUNS else ""
