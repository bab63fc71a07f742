"""The curves of some runs, laid over each other, and a card for each of them."""

from nicegui import ui

from azjax.page.site import Site
from azjax.page.training.controls import Controls
from azjax.page.training.panels.charts import TITLES, Axis, plot_panels
from azjax.page.training.panels.run_card import PopulationCard, RunCard
from azjax.page.training.runs.metrics import RunMetrics
from azjax.page.training.runs.metrics_tail import Metrics
from azjax.page.training.runs.monitor import WatchedRun, select_runs
from azjax.page.training.runs.run_phrases import short_names
from azjax.support.errors import InputError

_MOST_RUNS = 16
_SHOWS_LOG = ("starting", "compiling", "failed")
_AXES: dict[Axis, str] = {"minutes": "over minutes", "iteration": "over iterations"}


class RunView:
    """The runs of some names; a name of a folder stands for all runs in it."""

    def __init__(self, site: Site, controls: Controls, names: list[str]):
        """Builds the view, which is empty until it is refreshed."""
        self._site, self._controls, self._names = site, controls, names
        self._axis: Axis = "minutes"
        self._cards: dict[str, RunCard] = {}
        self._populations: dict[str, PopulationCard] = {}
        self._metrics = RunMetrics()
        self._plotted: tuple[Axis, dict[str, Metrics]] | None = None  # what the charts show
        self._note = ui.label().classes("text-sm text-slate-600")
        self._damage = ui.label().classes("text-sm text-amber-800").mark("damage")
        self._card_grid = _grid()
        self._axes = ui.toggle(
            _AXES, value=self._axis, on_change=lambda event: self._change_axis(event.value)
        )
        with _grid():
            self._charts = {title: _chart(title) for title in TITLES}

    async def refresh(self) -> None:
        """Shows the runs as they are now."""
        found = select_runs(
            await self._site.worker.access_files(self._controls.monitor.look), self._names
        )
        runs = {run.name: run for run in found[:_MOST_RUNS]}
        logs = {name: await self._read_log(run) for name, run in runs.items()}
        _show_text(self._note, _note(self._names, len(found)))
        self._axes.set_visibility(bool(found))
        self._show_cards(runs, found, logs)
        metrics = await self._site.worker.access_files(self._metrics.read, list(runs.values()))
        if (self._axis, metrics) != self._plotted:
            await self._plot(self._axis, metrics)

    def _show_cards(
        self, runs: dict[str, WatchedRun], found: list[WatchedRun], logs: dict[str, list[str]]
    ) -> None:
        """Shows a card for each run, and for each folder of several."""
        members = {name: select_runs(found, [name]) for name in self._names if name not in runs}
        populations = {name: together for name, together in members.items() if len(together) > 1}
        if [*runs, *populations] != [*self._cards, *self._populations]:
            self._build_cards(list(runs), list(populations))
        for name, together in populations.items():
            self._populations[name].show(together)
        for name, run in runs.items():
            self._cards[name].show(run, logs[name])

    async def _plot(self, axis: Axis, metrics: dict[str, Metrics]) -> None:
        """Shows the metrics over an axis, unless another one is chosen meanwhile."""
        shown = short_names(list(metrics))
        curves = {shown[name]: one.curves for name, one in metrics.items()}
        panels = await self._site.worker.access_files(plot_panels, curves, axis)
        if axis != self._axis:
            return
        for title, chart in self._charts.items():
            chart.set_visibility(title in panels)
            if title in panels:
                chart.options.clear()
                chart.options.update(panels[title])
                chart.update()
        self._plotted = axis, metrics
        errors = [f"{name}: {one.error}" for name, one in metrics.items() if one.error]
        _show_text(self._damage, "; ".join(errors))

    def _build_cards(self, names: list[str], populations: list[str]) -> None:
        self._card_grid.clear()
        with self._card_grid:
            self._populations = {
                name: PopulationCard(name, self._stop, self._resume) for name in populations
            }
            self._cards = {
                name: RunCard(name, colour, self._stop, self._resume)
                for colour, name in enumerate(names)
            }

    async def _read_log(self, run: WatchedRun) -> list[str]:
        if run.state not in _SHOWS_LOG:
            return []
        return await self._site.worker.access_files(self._controls.monitor.read_log, run.name)

    async def _change_axis(self, axis: Axis) -> None:
        self._axis = axis
        await self.refresh()

    async def _stop(self, name: str) -> None:
        await self._try(self._controls.stop, name, "its process saves, and stops.")

    async def _resume(self, name: str) -> None:
        await self._try(self._controls.resume, name, "it goes on in a moment.")

    async def _try(self, action, name: str, done: str) -> None:
        """Does something with a run, and says what came of it."""
        try:
            await self._site.worker.access_files(action, name)
            ui.notify(f"{name}: {done}")
        except InputError as error:
            ui.notify(str(error), type="warning", multi_line=True)
        await self.refresh()


def _grid() -> ui.element:
    return ui.element("div").classes("grid grid-cols-1 md:grid-cols-2 xl:grid-cols-3 gap-3 w-full")


def _chart(title: str) -> ui.echart:
    chart = ui.echart({"series": []}).classes("w-full h-72").mark(title.replace(" ", "_"))
    chart.set_visibility(False)
    return chart


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
