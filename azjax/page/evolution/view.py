"""The page at `/evolution`: how the networks of a run play, open, and rate."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Iterator

from nicegui import background_tasks, ui

from azjax.page.analysis.rules import make_rules
from azjax.page.boards import STYLES
from azjax.page.buttons import row_button
from azjax.page.evolution.charts import elo_chart
from azjax.page.evolution.game_panel import GamePanel
from azjax.page.evolution.networks import RunNetworks, read_networks
from azjax.page.evolution.opening_panel import OpeningPanel
from azjax.page.evolution.ratings import find_elo_curve, tournament_command
from azjax.page.frame import frame
from azjax.page.links import evolution_link
from azjax.page.moves.move_table import TABLE_STYLES
from azjax.page.run_list import list_runs
from azjax.page.site import Site
from azjax.support.errors import InputError, RunError


def add_pages(site: Site) -> None:
    """Adds the view."""

    @ui.page("/evolution")
    def evolution(run: str = "") -> None:
        ui.add_css(STYLES + TABLE_STYLES)
        with frame("Evolution"):
            if not run:
                choice = ui.column()
                ui.timer(0, lambda: _offer_runs(site, choice), once=True)
                return
            view = EvolutionView(site, run)
        ui.timer(0, view.open, once=True)
        ui.context.client.on_delete(view.stop)


class EvolutionView:
    """One run. A game is a task, which the next game cancels; so is the search of the start."""

    def __init__(self, site: Site, name: str):
        """Builds the view, without its networks yet."""
        self._site, self._name = site, name
        self._networks: RunNetworks | None = None
        self._tasks: dict[str, asyncio.Task] = {}
        self._is_against_final = False  # else against itself
        with ui.column().classes("w-full gap-3") as self._content:
            ui.label(f"Evolution of {name}").classes("text-lg font-semibold")
            self._note = ui.label().classes("text-sm text-amber-800").mark("note")
        with ui.column().classes("w-full gap-3") as self._panels:
            ui.label("Games").classes("font-semibold")
            with ui.row().classes("gap-2"):
                row_button("Against itself", self._against_itself)
                row_button("Against the final network", self._against_final)
            self._games = GamePanel(site, self._play)
            ui.label("The start").classes("font-semibold")
            self._opening = OpeningPanel(site)
            ui.label("Ratings").classes("font-semibold")
            self._elo_text = ui.label().classes("text-sm break-all").mark("ratings")
            self._elo = ui.echart({"series": []}).classes("w-full h-72 max-w-3xl").mark("elo")
            self._elo.set_visibility(False)
        self._panels.set_visibility(False)

    async def open(self) -> None:
        """Reads the networks, and begins to search the start with them."""
        with self._errors_as_note():
            worker = self._site.worker
            networks = await worker.access_files(read_networks, self._site.runs, self._name)
            rules = await worker.run_rules(make_rules, networks.game)
            self._networks = networks
            self._panels.set_visibility(True)
            self._games.open(networks, rules)
            await self._show_ratings(networks)
            self._begin("opening", lambda: self._opening.search(networks, rules))
            self._play()

    def stop(self) -> None:
        """Stops what is under way."""
        for task in self._tasks.values():
            task.cancel()

    def _against_itself(self) -> None:
        self._is_against_final = False
        self._play()

    def _against_final(self) -> None:
        self._is_against_final = True
        self._play()

    def _play(self) -> None:
        """Plays a game of the chosen network in place of the one that is shown."""
        if self._networks:
            final, chosen = self._networks.final, self._games.iteration
            opponent = final if self._is_against_final else chosen
            self._begin("game", lambda: self._games.play(opponent))

    def _begin(self, kind: str, work: Callable[[], Awaitable[None]]) -> None:
        """Begins a task in place of the one of its kind."""
        if kind in self._tasks:
            self._tasks[kind].cancel()
        self._tasks[kind] = background_tasks.create(self._do(work), name=kind)

    async def _do(self, work: Callable[[], Awaitable[None]]) -> None:
        with self._content, self._errors_as_note():
            await work()

    async def _show_ratings(self, networks: RunNetworks) -> None:
        runs, path = self._site.runs, networks.path
        curve = await self._site.worker.access_files(find_elo_curve, runs, path)
        if curve is None:
            command = tournament_command(path)
            self._elo_text.set_text(f"No tournament of its networks was found. Play one: {command}")
            return
        self._elo_text.set_text(curve.text)
        self._elo.set_visibility(bool(curve.rated))
        self._elo.options.clear()
        self._elo.options.update(elo_chart(curve.rated))
        self._elo.update()

    @contextlib.contextmanager
    def _errors_as_note(self) -> Iterator[None]:
        """Shows what is wrong with a run or a network in one line."""
        self._note.set_text("")
        try:
            yield
        except (InputError, RunError) as error:
            self._note.set_text(str(error))


async def _offer_runs(site: Site, choice: ui.column) -> None:
    """Lists the runs that have networks."""
    found = await site.worker.access_files(list_runs, site.runs)
    runs = [run for run in found if run.has_network and not run.error]
    with choice:
        ui.label("Choose a run:" if runs else f"No run in {site.runs} has a network yet.")
        for run in runs:
            ui.link(f"{run.name} ({run.game})", evolution_link(run.name))
