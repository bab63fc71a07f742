"""The page at `/`: a game against an agent, and what its search thinks."""

import asyncio
import contextlib
import dataclasses
from collections.abc import Iterator

from fastapi import Request
from nicegui import background_tasks, ui

from azjax.page.analysis.catalogue import list_agents, list_games, list_players
from azjax.page.analysis.exact import exact_values, is_solved, mistakes
from azjax.page.analysis.moves import choose_move
from azjax.page.analysis.players import PagePlayer
from azjax.page.analysis.report import Analysis
from azjax.page.analysis.rules import Position, make_rules
from azjax.page.boards import (
    STYLES,
    Marks,
    as_document,
    draw_board,
    explain_illegal,
    moves_off_board,
)
from azjax.page.frame import frame
from azjax.page.play.analysis_panel import AnalysisPanel
from azjax.page.play.board_panel import BoardPanel
from azjax.page.play.export import as_sgf, as_text, has_sgf
from azjax.page.play.game_line import GameLine, last_turn_of, read_game
from azjax.page.play.link import PERSON, PlayLink, read_link
from azjax.page.play.settings_panel import SettingsPanel, Shown
from azjax.page.play.words import describe_status, value_for_first
from azjax.page.site import Site
from azjax.search import search_names
from azjax.support.errors import InputError, RunError

_SECONDS_BETWEEN_AGENTS = 0.4  # so that a game of two agents can be followed


def add_pages(site: Site) -> None:
    """Adds the view."""

    @ui.page("/")
    def play(request: Request) -> None:
        ui.add_css(STYLES)
        with frame("Play"):
            view = PlayView(site)
        ui.timer(0, lambda: view.open_query(dict(request.query_params)), once=True)
        ui.context.client.on_disconnect(view.stop)


class PlayView:
    """One visitor's game. What takes time runs in one task, which every change cancels."""

    def __init__(self, site: Site):
        """Builds the view, with no game in it yet."""
        self._site, self._shown = site, Shown()
        self._link = PlayLink()
        self._line: GameLine | None = None
        self._ply = 0  # which is shown
        self._variation: tuple[int, ...] = ()  # from it, of a node of the tree that was opened
        self._players: list[PagePlayer | None] = [None, None]  # None for the visitor
        self._values: dict[str, float] = {}  # by position, for X
        self._exact: dict[str, dict[int, int]] = {}  # by position, for the player to move
        self._analysis: Analysis | None = None
        self._taken: int | None = None  # Quixo's cube that was clicked
        self._task: asyncio.Task | None = None
        commands = {
            "New game": self._new_game,
            "Undo": self._undo,
            "Hint": self._hint,
            "Switch seats": self._switch,
            "Text": self._export_text,
            "SGF": self._export_sgf,
            "Image": self._export_image,
        }
        self._settings = SettingsPanel(self._shown, self.open, self._refresh, commands)
        with ui.element("div").classes("grid grid-cols-1 lg:grid-cols-2 gap-4 w-full"):
            with ui.column().classes("gap-1 w-full"):
                self._board = BoardPanel(self._click, self._write_move)
            with ui.column().classes("gap-1 w-full") as self._content:
                self._panel = AnalysisPanel(self._go_to, self._open_node)
        ui.keyboard(on_key=self._press, ignore=["input", "select", "button", "textarea"])

    async def open_query(self, query: dict[str, str]) -> None:
        """Opens the game of an address."""
        with self._errors_as_notes():
            await self.open(read_link(query))

    async def open(self, link: PlayLink) -> None:
        """Opens a game, at its last position."""
        self.stop()
        with self._errors_as_notes():
            site, agents = self._site, await self._site.worker.read(list_agents, self._site.runs)
            if not link.game:
                named = link.second if link.first == PERSON else link.first
                agent = await site.players.get(named)
                link = dataclasses.replace(link, game=agent.game.name)
            rules = await site.worker.compile(make_rules, link.game)
            players = list_players(rules.game, agents)
            if not link.second:
                link = dataclasses.replace(link, second=players[0])
            self._players = [await self._load(link, name) for name in link.seats]
            line = await site.worker.run(read_game, rules, link.position, link.moves)
            if self._line is None or self._line.rules.game != rules.game:
                self._values, self._exact = {}, {}
            self._link, self._line, self._ply = link, line, len(line.actions)
            self._settings.show(link, line.last.text)
            self._settings.offer(list_games(), players, search_names())
        await self._refresh()

    def stop(self) -> None:
        """Stops the search that is under way."""
        if self._task is not None and self._task is not asyncio.current_task():
            self._task.cancel()
        self._task = None

    async def _load(self, link: PlayLink, name: str) -> PagePlayer | None:
        if name == PERSON:
            return None
        algorithm = link.algorithm or None
        return await self._site.players.get(name, link.game, link.simulations, algorithm)

    async def _refresh(self) -> None:
        """Draws what is shown, and begins to think about it."""
        self.stop()
        if self._line is None:
            return
        self._analysis, self._taken = None, None
        self._panel.clear_search()
        self._board.note("")
        self._link = dataclasses.replace(self._link, moves=self._line.names())
        self._settings.show(self._link, self._line.positions[self._ply].text)
        ui.navigate.history.replace(self._link.address())
        await self._draw()
        self._task = background_tasks.create(self._think(), name="think")

    async def _draw(self) -> None:
        """Draws the board and the chance of winning."""
        line = self._line
        assert line
        position = await self._shown_position()
        game, read = line.rules.game, self._site.worker.run
        marks = Marks(
            last=self._last_action(),
            weights=self._weights(),
            exact=self._exact.get(position.text, {}) if self._shown.exact else {},
            is_clickable=position.result is None and not self._variation,
            taken=self._taken,
        )
        svg = await read(draw_board, game, position.state, position.legal, marks)
        off_board = moves_off_board(game, position.legal) if marks.is_clickable else []
        buttons = [(action, game.format_action(action)) for action in off_board]
        self._board.show(svg, self._status(position), buttons)
        values = [self._values.get(one.text) for one in line.positions]
        self._panel.show_values(values, line.names(), self._ply)

    async def _think(self) -> None:
        """Moves for the agent whose turn it is, or analyses what is shown."""
        with self._content, self._errors_as_notes():
            line = self._line
            assert line
            position = await self._shown_position()
            is_newest = self._ply == len(line.actions) and not self._variation
            if self._shown.exact:
                await self._find_exact()
            mover = self._players[position.mover]
            if position.result is not None:
                self._values[position.text] = float(position.result)
            elif is_newest and mover is not None and not self._shown.paused:
                await self._move(mover, position)
                return
            elif self._shown.analysis and (adviser := self._adviser()):
                await self._watch(adviser, position)
            await self._fill_values()

    async def _move(self, mover: PagePlayer, position: Position) -> None:
        """Lets an agent move."""
        assert self._line
        seed = len(self._line.actions)
        if mover.search is None:
            choose = self._site.worker.compile  # where its program is compiled, and an engine asked
            action = await choose(choose_move, mover, position, seed)
        else:
            await self._watch(mover, position, seed)
            assert self._analysis
            action = self._analysis.found.action
        if None not in self._players:
            await asyncio.sleep(_SECONDS_BETWEEN_AGENTS)
        await self._play(action)

    async def _watch(self, player: PagePlayer, position: Position, seed: int = 0) -> None:
        """Shows a search as it goes on."""
        line = self._line
        assert line
        async for analysis in self._site.searches.watch(player, position.state, seed):
            self._analysis = analysis
            self._values[position.text] = value_for_first(analysis.value, position.mover)
            exact = self._exact.get(position.text, {}) if self._shown.exact else {}
            self._panel.show_search(player.name, analysis, line.rules, exact)
            await self._draw()

    async def _fill_values(self) -> None:
        """Searches the positions of the game that have no value yet, all at once."""
        line, adviser = self._line, self._adviser()
        assert line
        missing = [one for one in line.positions if one.text not in self._values]
        if not (adviser and missing and self._shown.analysis):
            return
        for position in missing:
            if position.result is not None:
                self._values[position.text] = float(position.result)
        open_ = [one for one in missing if one.result is None]
        searches = [self._site.searches.search(adviser, one.state) for one in open_]
        for position, analysis in zip(open_, await asyncio.gather(*searches), strict=True):
            self._values[position.text] = value_for_first(analysis.value, position.mover)
        await self._draw()

    async def _find_exact(self) -> None:
        """Finds the exact values of the game's positions, where they are known."""
        line = self._line
        assert line
        if not is_solved(line.rules.game):
            self._board.note("No exact values are known of this game.")
            return
        shown = await self._shown_position()
        for position in [*line.positions, shown]:
            if position.text not in self._exact and position.result is None:
                find = self._site.worker.compile
                values = await find(exact_values, line.rules.game, position)
                self._exact[position.text] = values
        await self._draw()

    async def _play(self, action: int) -> None:
        """Plays a move at the ply that is shown; what came after it is dropped."""
        assert self._line
        line = self._line.back_to(self._ply)
        self._line = await self._site.worker.run(line.play, action)
        self._ply += 1
        await self._refresh()

    async def _click(self, target: dict[str, str]) -> None:
        """Plays, takes a cube, or explains why a cell cannot be played."""
        if self._line is None or self._variation:
            return
        position = self._line.positions[self._ply]
        if self._players[position.mover] is not None and position.result is None:
            self._board.note("It is not your turn.")
            return
        action, cube = target.get("move", ""), target.get("cube", "")
        if action.isdecimal() and int(action) in position.legal:
            await self._play(int(action))
        elif cube.isdecimal():
            self._taken = None if self._taken == int(cube) else int(cube)
            await self._draw()
        elif cell := target.get("illegal", ""):
            game = self._line.rules.game
            run = self._site.worker.run
            self._board.note(await run(explain_illegal, game, position.state, position.legal, cell))

    async def _write_move(self, text: str) -> None:
        if self._line is None:
            return
        position = self._line.positions[self._ply]
        with self._errors_as_notes():
            action = await self._site.worker.run(self._line.rules.parse_move, position, text)
            await self._click({"move": str(action)})

    async def _go_to(self, ply: int) -> None:
        """Shows the position after so many moves."""
        if self._line and 0 <= ply < len(self._line.positions):
            self._ply, self._variation = ply, ()
            await self._refresh()

    async def _open_node(self, actions: tuple[int, ...]) -> None:
        """Shows the position of a node of the tree."""
        self._variation = actions
        await self._draw()

    async def _new_game(self) -> None:
        self._variation = ()
        await self.open(dataclasses.replace(self._link, position="", moves=()))

    async def _undo(self) -> None:
        """Takes back the visitor's last move, and what was answered."""
        if self._line is None:
            return
        own = self._link.own_seats or {0, 1}
        ply = last_turn_of(self._line, own)
        if ply is None:
            self._board.note("There is no move of yours to take back.")
            return
        self._line, self._ply, self._variation = self._line.back_to(ply), ply, ()
        await self._refresh()

    async def _switch(self) -> None:
        self._variation = ()
        await self.open(self._link.switched())

    async def _hint(self) -> None:
        """Points at the move that the adviser would play."""
        adviser = self._adviser()
        if self._line is None or adviser is None:
            self._board.note("No player of this game searches: choose an agent for X or O.")
            return
        position = self._line.positions[self._ply]
        if position.result is not None:
            return
        with self._errors_as_notes():
            analysis = await self._site.searches.search(adviser, position.state)
            move = self._line.rules.game.format_action(analysis.found.action)
            self._board.note(f"{adviser.name} would play {move}.")
            self._board.point(analysis.found.action)

    async def _export_text(self) -> None:
        if self._line:
            ui.download.content(as_text(self._line, self._link), "game.txt")

    async def _export_sgf(self) -> None:
        if self._line and has_sgf(self._line, self._link):
            ui.download.content(as_sgf(self._line, self._link), "game.sgf")
        else:
            self._board.note("SGF knows Go, Othello, Gomoku and Hex, from the start of a game.")

    async def _export_image(self) -> None:
        if self._line:
            ui.download.content(await self._image(), "board.svg")

    async def _press(self, event) -> None:
        """Steps through the game by the arrows; u, h and n are undo, hint and new game."""
        if not event.action.keydown:
            return
        commands = {"u": self._undo, "h": self._hint, "n": self._new_game}
        if event.key.arrow_left:
            await self._go_to(self._ply - 1)
        elif event.key.arrow_right:
            await self._go_to(self._ply + 1)
        elif command := commands.get(event.key.name):
            await command()

    async def _shown_position(self) -> Position:
        assert self._line
        position = self._line.positions[self._ply]
        for action in self._variation:
            position = await self._site.worker.run(self._line.rules.play, position, action)
        return position

    def _last_action(self) -> int | None:
        assert self._line
        if self._variation:
            return self._variation[-1]
        return self._line.actions[self._ply - 1] if self._ply else None

    def _weights(self) -> dict[int, float]:
        """Returns the heat map: by action a share."""
        if self._analysis is None or self._variation:
            return {}
        found = self._analysis.found
        shares = {"policy": found.policy, "prior": found.prior, "visits": found.visits}
        chosen = shares.get(self._shown.heat)
        if chosen is None:
            return {}
        total = float(chosen.sum()) or 1.0
        return {action: float(x) / total for action, x in enumerate(chosen) if x > 0}

    def _adviser(self) -> PagePlayer | None:
        """Returns the player that analyses: the first that searches."""
        return next((one for one in self._players if one and one.search), None)

    def _status(self, position: Position) -> str:
        assert self._line
        counts = [0, 0]
        for before, action in zip(self._line.positions, self._line.actions, strict=False):
            if action in (values := self._exact.get(before.text, {})):
                counts[before.mover] += mistakes(values, action) > 0
        return describe_status(
            position,
            self._link.seats,
            mistakes=tuple(counts) if self._shown.exact else None,
            is_variation=bool(self._variation),
        )

    async def _image(self) -> str:
        assert self._line
        position = await self._shown_position()
        marks = Marks(last=self._last_action(), is_clickable=False)
        run, game = self._site.worker.run, self._line.rules.game
        return as_document(await run(draw_board, game, position.state, position.legal, marks))

    @contextlib.contextmanager
    def _errors_as_notes(self) -> Iterator[None]:
        """Shows what is wrong with an input or an agent in one line."""
        try:
            yield
        except (InputError, RunError, ValueError) as error:
            with self._content:
                ui.notify(str(error), type="warning", multi_line=True)
