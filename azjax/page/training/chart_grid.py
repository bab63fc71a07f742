"""The charts of runs, and how the visitor wants to see them."""

from typing import Any

from nicegui import ui

from azjax.page.charts import add_chart, plot
from azjax.page.frame import grid
from azjax.page.training.charts import AXES, USUAL, ChartStyle, Curves, find_panels, plot_panels
from azjax.page.worker import Worker


class ChartGrid:
    """A chart for each panel that is chosen, and what all of them have in common."""

    def __init__(self, worker: Worker):
        self._worker = worker
        self._style, self._chosen = ChartStyle(), list[str]()
        self._runs: dict[str, Curves] = {}
        self._plotted: tuple[object, ...] = ()  # what the charts show
        self._charts: dict[str, ui.echart] = {}  # by title
        with ui.row().classes("items-center gap-x-4 gap-y-1 w-full") as self._bar:
            self._build_bar()
        self._bar.set_visibility(False)
        self._grid = grid("md:grid-cols-2 xl:grid-cols-3")

    def _build_bar(self) -> None:
        axis = ui.select({**AXES}, label="over", value="minutes")
        axis.classes("w-[44%] sm:w-52").mark("axis")
        axis.on_value_change(lambda event: self._restyle(axis=event.value))
        self._titles = ui.select([], label="charts", multiple=True, value=[])
        self._titles.classes("w-[44%] sm:w-52").mark("charts")
        self._titles.props('display-value="choose"').on_value_change(self._choose)
        for select in (axis, self._titles):
            select.props("dense options-dense outlined")
        with ui.row(wrap=False).classes("items-center gap-3 w-[92%] sm:w-56"):
            ui.label("smoothing")
            smoothing = ui.slider(min=0, max=0.98, step=0.02, value=0).mark("smoothing")
            smoothing.on_value_change(lambda event: self._restyle(smoothing=event.value))
        ui.checkbox("log x", on_change=lambda event: self._restyle(log_x=event.value))
        ui.checkbox("log y", on_change=lambda event: self._restyle(log_y=event.value))

    async def show(self, runs: dict[str, Curves]) -> None:
        """Shows the curves of runs by their names."""
        self._runs = runs
        self._bar.set_visibility(any(runs.values()))
        titles, known = list(find_panels(runs.values())), self._titles.options
        if titles != known:
            is_shown = {x: x in self._chosen if x in known else x in USUAL for x in titles}
            self._titles.set_options(titles, value=[x for x in titles if is_shown[x]])
        await self._plot()

    async def _plot(self) -> None:
        """Plots what is to be shown, unless something else is wanted meanwhile."""
        wanted = self._style, tuple(self._chosen), self._runs
        if wanted == self._plotted:
            return
        style, titles, runs = wanted
        panels = await self._worker.access_files(plot_panels, runs, titles, style)
        if (self._style, tuple(self._chosen), self._runs) != wanted:
            return
        if list(panels) != list(self._charts):
            self._grid.clear()
            with self._grid:
                self._charts = {title: add_chart(title.replace(" ", "_")) for title in panels}
        for title, options in panels.items():
            plot(self._charts[title], options)
        self._plotted = wanted

    async def _restyle(self, **changes: Any) -> None:
        self._style = self._style._replace(**changes)
        await self._plot()

    async def _choose(self) -> None:
        self._chosen = list(self._titles.value)
        await self._plot()
