"""The page at `/evolution`: how the networks of a run play, open, and rate."""

import asyncio
import contextlib
from collections.abc import Iterator
from typing import Any

from nicegui import background_tasks, ui

from azjax.agents.elo_curve import RatedNetwork, find_elo_curve, tournament_command
from azjax.evaluation import PositionSearch
from azjax.page.analysis.rules import Rules, make_rules
from azjax.page.boards import PAGE_STYLES, STYLES
from azjax.page.charts import PERCENT_AXIS, add_chart, line, line_chart, plot
from azjax.page.evolution.games import GamePanel
from azjax.page.evolution.networks import OTHERS, RunNetworks, Source, opening_shares, read_networks
from azjax.page.frame import evolution_link, frame, game_link, grid, row_button
from azjax.page.runs_folder import list_runs
from azjax.page.site import Site
from azjax.page.values import FIRST, SERIES, win_percent
from azjax.runs.storage.checkpoints import spread_evenly
from azjax.support.errors import InputError, RunError

_MOST_NETWORKS = 12  # that search the start, and play one after the other
_RUN = "Run through the networks"
_SEATS = {0: "as X", 1: "as O"}
_SOURCES: dict[Source, str] = {"search": "after the search", "network": "of the network alone"}
_GREY = "#d9d9d9"
_ITERATIONS = {"name": "iteration", "min": "dataMin", "max": "dataMax"}


def add_pages(site: Site) -> None:
    """Adds the view."""

    @ui.page("/evolution")
    async def evolution(run: str = "") -> None:
        found = [] if run else await site.worker.access_files(list_runs, site.runs)
        ui.add_css(STYLES + PAGE_STYLES)
        with frame("Evolution"):
            if not run:
                names = {one.name: one.game for one in found if one.has_network and not one.error}
                ui.label("Choose a run:" if names else f"No run in {site.runs} has a network yet.")
                for name, game in names.items():
                    ui.link(f"{name} ({game})", evolution_link(name))
                return
            view = EvolutionView(site, run)
        ui.timer(0, view.open, once=True)
        ui.context.client.on_delete(view.stop)


class EvolutionView:
    """The networks of one run, which search the start in a task."""

    def __init__(self, site: Site, name: str):
        self._site, self._name = site, name
        self._networks: RunNetworks | None = None
        self._rules: Rules | None = None
        self._opening_task: asyncio.Task[None] | None = None
        self._games_task: asyncio.Task[None] | None = None
        with ui.column().classes("w-full gap-3") as self._content:
            ui.label(f"Evolution of {name}").classes("text-lg font-semibold break-all")
            self._note = ui.label().classes("text-sm warning")
        with ui.column().classes("w-full gap-3") as self._panels:
            ui.label("Games").classes("font-semibold")
            with ui.row().classes("items-center gap-4 w-full"):
                label = ui.label().classes("w-36")
                self._slider = ui.slider(min=0, max=0, value=None).mark("networks")
                self._slider.classes("grow max-w-xl")
                label.bind_text_from(self._slider, "value", self._label)
                self._seat = ui.toggle(_SEATS, value=0).mark("seat")
                row_button("Against itself", lambda: self._play(self._iteration))
                row_button("Against the final network", lambda: self._play(None))
                self._button = row_button(_RUN, self._run_games)
            self._games = GamePanel(site)
            ui.label("The start").classes("font-semibold")
            self._opening = OpeningPanel(site)
            ui.label("Ratings").classes("font-semibold")
            self._elo_text = ui.label().classes("text-sm break-all")
            self._elo = add_chart("elo").classes("max-w-3xl")
            self._elo.set_visibility(False)
        self._panels.set_visibility(False)

    async def open(self) -> None:
        """Reads the networks, and begins to search the start with them."""
        with self._errors_as_note():
            worker = self._site.worker
            networks = await worker.access_files(read_networks, self._site.runs, self._name)
            rules = await worker.run_rules(make_rules, networks.game)
            self._networks, self._rules = networks, rules
            newest = len(networks.iterations) - 1
            self._slider.props["max"] = newest
            self._slider.set_value(newest)
            self._panels.set_visibility(True)
            await self._show_ratings(networks)
            self._opening_task = background_tasks.create(
                self._search(networks, rules), name="opening"
            )

    def stop(self) -> None:
        """Stops what is under way."""
        for task in (self._opening_task, self._games_task):
            if task:
                task.cancel()

    @property
    def _iteration(self) -> int:
        """The iteration of the network that is chosen."""
        assert self._networks
        return self._networks.iterations[int(self._slider.value or 0)]

    def _label(self, number: int) -> str:
        return f"iteration {self._networks.iterations[number]:,}" if self._networks else ""

    def _play(self, opponent: int | None) -> None:
        """Leads to a game of the chosen network against another one, or the final one."""
        networks = self._networks
        assert networks
        players = [self._iteration, networks.final if opponent is None else opponent]
        names = [networks.player(iteration) for iteration in players]
        ui.navigate.to(game_link(*(names if self._seat.value == 0 else reversed(names))))

    def _run_games(self) -> None:
        """Lets one network after another play against itself, or stops that."""
        if self._games_task and not self._games_task.done():
            self._games_task.cancel()
        else:
            self._games_task = background_tasks.create(self._play_all(), name="games")

    async def _play_all(self) -> None:
        assert self._networks
        assert self._rules
        iterations = self._networks.iterations
        self._button.set_text("Stop")
        try:
            for iteration in spread_evenly(iterations, _MOST_NETWORKS):
                with self._content, self._errors_as_note():  # of one that the run has dropped
                    self._slider.set_value(iterations.index(iteration))
                    await self._games.play(self._networks, iteration, self._rules)
        finally:
            self._button.set_text(_RUN)

    async def _search(self, networks: RunNetworks, rules: Rules) -> None:
        with self._content, self._errors_as_note():
            await self._opening.search(networks, rules)

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
        self._site = site
        self._rules: Rules | None = None
        self._searches: dict[int, PositionSearch] = {}  # by iteration
        self._source: Source = "search"
        ui.toggle(_SOURCES, value=self._source, on_change=lambda event: self._show(event.value))
        with grid("lg:grid-cols-2"):
            self._policy, self._value = add_chart("policy"), add_chart("opening_value")

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
            self._searches[iteration] = (await site.searches.search(player, start.state)).found
            self._show(self._source)
        if refusal and not self._searches:
            raise refusal

    def _show(self, source: Source) -> None:
        self._source = source
        if self._rules is None or not self._searches:
            return
        policy = []
        shares = opening_shares(self._rules.game, list(self._searches.values()), source)
        for number, (move, values) in enumerate(shares.items()):
            colour = _GREY if move == OTHERS else SERIES[number % len(SERIES)]
            points = zip(self._searches, (round(value, 4) for value in values), strict=True)
            area = {"stack": "policy", "areaStyle": {"opacity": 0.7}, "step": "end"}
            policy.append(line(move, points, colour) | area)
        wins = [(i, win_percent(found.value)) for i, found in self._searches.items()]
        value = [line("X wins, %", wins, FIRST)]  # X is to move
        title, y_axis = "policy of the start", {"min": 0, "max": 1}
        plot(self._policy, line_chart(title, _ITERATIONS, y_axis, policy))
        plot(self._value, line_chart("chance that X wins", _ITERATIONS, PERCENT_AXIS, value))


def elo_chart(rated: tuple[RatedNetwork, ...]) -> dict[str, Any]:
    """Returns the ratings of a run's networks, between the ends of intervals."""
    dashed = {"lineStyle": {"type": "dashed", "width": 1}, "showSymbol": False}
    ends = {"low": [one.low for one in rated], "high": [one.high for one in rated]}
    series = [line("Elo above random", [(x.iteration, round(x.elo)) for x in rated], FIRST)]
    for name, values in ends.items():
        points = [(x.iteration, round(y)) for x, y in zip(rated, values, strict=True)]
        series.append(line(f"95% interval, {name}", points, FIRST) | dashed)
    return line_chart("Elo above random", _ITERATIONS, {"scale": True}, series)
