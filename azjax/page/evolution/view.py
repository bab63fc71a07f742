"""The page at `/evolution`: how the networks of a run play, open, and rate."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Iterator

from nicegui import background_tasks, ui

from azjax.page.analysis.rules import Rules, make_rules
from azjax.page.analysis.summary import summarize
from azjax.page.boards import STYLES
from azjax.page.evolution.charts import elo_chart, opening_value_chart, policy_chart
from azjax.page.evolution.game_panel import GamePanel
from azjax.page.evolution.networks import (
    Opening,
    RunNetworks,
    Source,
    opening_shares,
    read_networks,
)
from azjax.page.evolution.ratings import find_elo_curve, tournament_command
from azjax.page.frame import chart, evolution_link, frame, grid, plot, row_button
from azjax.page.runs_folder import list_runs
from azjax.page.site import Site
from azjax.runs.storage.restore import spread_evenly
from azjax.support.errors import InputError, RunError

_MOST_NETWORKS = 12  # that search the start
_SOURCES: dict[Source, str] = {"search": "after the search", "network": "of the network alone"}


def add_pages(site: Site) -> None:
    """Adds the view."""

    @ui.page("/evolution")
    def evolution(run: str = "") -> None:
        ui.add_css(STYLES)
        with frame("Evolution"):
            if not run:
                choice = ui.column()
                ui.timer(0, lambda: _offer_runs(site, choice), once=True)
                return
            view = EvolutionView(site, run)
        ui.timer(0, view.open, once=True)
        ui.context.client.on_delete(view.stop)


async def _offer_runs(site: Site, choice: ui.column) -> None:
    """Lists the runs that have networks."""
    found = await site.worker.access_files(list_runs, site.runs)
    runs = [run for run in found if run.has_network and not run.error]
    with choice:
        ui.label("Choose a run:" if runs else f"No run in {site.runs} has a network yet.")
        for run in runs:
            ui.link(f"{run.name} ({run.game})", evolution_link(run.name))


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
            self._note = ui.label().classes("text-sm text-amber-800")
        with ui.column().classes("w-full gap-3") as self._panels:
            ui.label("Games").classes("font-semibold")
            with ui.row().classes("gap-2"):
                row_button("Against itself", lambda: self._play_against(is_final=False))
                row_button("Against the final network", lambda: self._play_against(is_final=True))
            self._games = GamePanel(site, self._play)
            ui.label("The start").classes("font-semibold")
            self._opening = OpeningPanel(site)
            ui.label("Ratings").classes("font-semibold")
            self._elo_text = ui.label().classes("text-sm break-all")
            self._elo = chart("elo").classes("max-w-3xl")
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

    def _play_against(self, *, is_final: bool) -> None:
        self._is_against_final = is_final
        self._play()

    def _play(self) -> None:
        """Plays a game of the chosen network in place of the one that is shown."""
        if self._networks:
            final, chosen = self._networks.final, self._games.iteration
            opponent = final if self._is_against_final else chosen
            self._begin("game", lambda: self._games.play(opponent))

    def _begin(self, kind: str, work: Callable[[], Awaitable[None]]) -> None:
        """Begins a task in place of the one of its kind."""

        async def do() -> None:
            with self._content, self._errors_as_note():
                await work()

        if kind in self._tasks:
            self._tasks[kind].cancel()
        self._tasks[kind] = background_tasks.create(do(), name=kind)

    async def _show_ratings(self, networks: RunNetworks) -> None:
        runs, path = self._site.runs, networks.path
        curve = await self._site.worker.access_files(find_elo_curve, runs, path)
        if curve is None:
            command = tournament_command(path)
            self._elo_text.set_text(f"No tournament of its networks was found. Play one: {command}")
            return
        self._elo_text.set_text(curve.text)
        self._elo.set_visibility(bool(curve.rated))
        plot(self._elo, elo_chart(curve.rated))

    @contextlib.contextmanager
    def _errors_as_note(self) -> Iterator[None]:
        """Shows what is wrong with a run or a network in one line."""
        self._note.set_text("")
        try:
            yield
        except (InputError, RunError) as error:
            self._note.set_text(str(error))


class OpeningPanel:
    """The policy and the value of the start, as one network after another has searched it."""

    def __init__(self, site: Site):
        """Builds the panel, which is empty until `search`."""
        self._site = site
        self._rules: Rules | None = None
        self._openings: list[Opening] = []
        self._source: Source = "search"
        ui.toggle(_SOURCES, value=self._source, on_change=lambda event: self._show(event.value))
        with grid("lg:grid-cols-2"):
            self._policy, self._value = chart("policy"), chart("opening_value")

    async def search(self, networks: RunNetworks, rules: Rules) -> None:
        """Lets networks that are spread over the run search the start.

        Raises:
          InputError: None of them can be read.
        """
        self._rules, site = rules, self._site
        start = await site.worker.run_rules(rules.start)
        refusal = None
        for iteration in spread_evenly(networks.iterations, _MOST_NETWORKS):
            try:
                player = await site.players.get(networks.player(iteration))
            except InputError as error:  # a run in training has dropped it
                refusal = error
                continue
            analysis = await site.searches.search(player, start.state)
            summary = await site.worker.run_rules(summarize, analysis)
            self._openings.append(Opening(iteration, summary))
            self._show(self._source)
        if refusal and not self._openings:
            raise refusal

    def _show(self, source: Source) -> None:
        self._source = source
        if self._rules is None or not self._openings:
            return
        iterations = [opening.iteration for opening in self._openings]
        values = [opening.analysis.value for opening in self._openings]  # for X, who is to move
        shares = opening_shares(self._rules.game, self._openings, source)
        plot(self._policy, policy_chart(iterations, shares))
        plot(self._value, opening_value_chart(iterations, values))
