"""The page at `/`: a game against an agent, and what its search thinks."""

import asyncio
import contextlib
import dataclasses
from collections.abc import Awaitable, Callable, Iterator

from fastapi import Request
from nicegui import background_tasks, ui
from nicegui.events import KeyEventArguments

from azjax.page.analysis.catalogue import Agent, list_agents, list_games, list_players
from azjax.page.analysis.exact import is_solved
from azjax.page.boards import STYLES, explain_illegal, moves_off_board, render_board
from azjax.page.frame import frame
from azjax.page.keys import is_plain_press
from azjax.page.moves.move_table import TABLE_STYLES
from azjax.page.play.analysis_panel import AnalysisPanel
from azjax.page.play.board_panel import BoardPanel
from azjax.page.play.export import as_image, as_sgf, as_text
from azjax.page.play.game_line import last_turn_of
from azjax.page.play.link import PlayLink, read_link
from azjax.page.play.opening import open_visit
from azjax.page.play.settings_panel import SettingsPanel
from azjax.page.play.thinker import Thinker
from azjax.page.play.visit import Switches, Visit
from azjax.page.play.words import describe_status
from azjax.page.site import Site
from azjax.search import search_names
from azjax.support.errors import InputError, RunError, one_line

_NO_SGF = "SGF files are for Go, Othello, Gomoku and Hex, and games from the start."
_NO_EXACT = "The exact values of this game are not known here."


def add_pages(site: Site) -> None:
    """Adds the view."""

    @ui.page("/")
    def play(request: Request) -> None:
        ui.add_css(STYLES + TABLE_STYLES)
        with frame("Play"):
            view = PlayView(site)
        query = dict(request.query_params)
        ui.timer(0, lambda: view.open_query(query), once=True)
        ui.context.client.on_delete(view.leave)


class PlayView:
    """One visitor's view. It thinks in one task, which every change of the game cancels."""

    def __init__(self, site: Site):
        """Builds the view, with no game in it yet."""
        self._site, self._switches = site, Switches()
        self._visit: Visit | None = None
        self._task: asyncio.Task[None] | None = None
        self._is_left = False
        self._num_opens = 0  # begun so far: only the newest may show its game
        commands = {
            "New game": self._start_new,
            "Undo": self._undo,
            "Hint": self._hint,
            "Switch seats": self._switch_seats,
            "Text": self._save_text,
            "SGF": self._save_sgf,
            "Image": self._save_image,
        }
        buttons = {name: self._guard(command) for name, command in commands.items()}
        self._settings = SettingsPanel(self._switches, self.open, self._refresh, buttons)
        with ui.element("div").classes("grid grid-cols-1 lg:grid-cols-2 gap-4 w-full"):
            with ui.column().classes("gap-1 w-full") as self._content:
                self._board = BoardPanel(self._click, self._write_move)
            with ui.column().classes("gap-1 w-full"):
                self._analysis = AnalysisPanel(self._go_to, self._open_node)
        keys = {"u": self._undo, "h": self._hint, "n": self._start_new}
        self._keys = {key: self._guard(command) for key, command in keys.items()}
        ui.keyboard(self._press)

    async def open_query(self, query: dict[str, str]) -> None:
        """Opens the game of an address; a wrong one is told, and the usual game opened."""
        self._board.keep_focus()
        with self._notes():
            await self.open(read_link(query))
        if self._visit is None and self._num_opens <= 1:  # else the visitor has chosen another
            await self.open(PlayLink())

    async def open(self, link: PlayLink) -> None:
        """Opens a game at its newest position; where the link is wrong the old one stays.

        A game that is loaded only after a newer one has been asked for is dropped.
        """
        self.stop()
        self._num_opens += 1
        number = self._num_opens
        with self._notes():
            agents = await self._site.worker.read(list_agents, self._site.runs)
            visit = await open_visit(self._site, link, agents, self._switches)
            if number == self._num_opens:
                self._show_visit(visit, agents)
        if number == self._num_opens:
            await self._refresh()

    def _show_visit(self, visit: Visit, agents: list[Agent]) -> None:
        """Shows the settings of a game that has been opened; what is known of it is kept."""
        if self._visit is not None:
            visit.take_over(self._visit)
        self._visit = visit
        self._settings.show(visit.link, visit.shown.text)
        players = list_players(visit.line.rules.game, agents)
        self._settings.offer(list_games(), players, search_names())

    def leave(self) -> None:
        """Ends the visit: what is under way must not go on without its visitor."""
        self._is_left = True
        self.stop()

    def stop(self) -> None:
        """Stops to think."""
        if self._task is not None and self._task is not asyncio.current_task():
            self._task.cancel()
        self._task = None

    async def _refresh(self) -> None:
        """Shows the position, and thinks about it, in a task that replaces the former one."""
        self.stop()
        if self._visit is None or self._is_left:
            return
        visit = self._visit
        visit.analysis = None
        self._analysis.clear_search()
        is_unknown = self._switches.exact and not is_solved(visit.line.rules.game)
        self._board.note(_NO_EXACT if is_unknown else "")
        self._settings.show(visit.link, visit.shown.text)
        with self._content:
            ui.navigate.history.replace(visit.link.address())
        # No await since the former task was stopped: else two would be under way.
        self._task = background_tasks.create(self._think(visit), name="think")

    async def _think(self, visit: Visit) -> None:
        """Shows the position, thinks about it, and plays the move of an agent that is to move."""
        with self._notes():
            await self._show()
            action = await Thinker(self._site, visit, self._show).think()
            if action is not None:
                await self._play(action)

    async def _show(self) -> None:
        """Shows the board, the chance of winning, and the search."""
        visit = self._visit
        assert visit
        game, position = visit.line.rules.game, visit.shown
        run = self._site.worker.run
        svg = await run(render_board, game, position.state, position.legal, visit.marks())
        off_board = moves_off_board(game, position.legal) if visit.is_open else []
        buttons = [(action, game.format_action(action)) for action in off_board]
        status = describe_status(
            position,
            visit.link.seats,
            visit.mistake_counts(),
            is_variation=bool(visit.variation),
        )
        self._board.show(svg, status, buttons)
        self._analysis.show_values(visit.win_values(), visit.line.names(), visit.ply)
        if visit.analysis is not None and not visit.variation:
            self._analysis.show_search(
                visit.analyst, visit.analysis, visit.line.rules, visit.shown_exact()
            )

    async def _play(self, action: int) -> None:
        """Plays a move in the position that is shown; what came after it is dropped."""
        visit = self._visit
        assert visit
        line = await self._site.worker.run(visit.line.back_to(visit.ply).play, action)
        visit.continue_with(line)
        await self._refresh()

    async def _click(self, target: dict[str, str]) -> None:
        """Plays the move that was clicked, takes a cube, or says why a cell cannot be played."""
        visit = self._visit
        if visit is None or visit.variation:
            return
        position, game = visit.shown, visit.line.rules.game
        action, cube, cell = (target.get(name, "") for name in ("move", "cube", "illegal"))
        if visit.mover is not None and position.result is None:
            self._board.note(f"It is the turn of {visit.mover.kind}.")
        elif action.isdecimal() and int(action) in position.legal:
            await self._play(int(action))
        elif cube.isdecimal():
            visit.taken = None if visit.taken == int(cube) else int(cube)
            await self._show()
        elif cell:
            explain = self._site.worker.run
            text = await explain(explain_illegal, game, position.state, position.legal, cell)
            self._board.note(text)

    async def _write_move(self, text: str) -> None:
        """Plays a move that was written."""
        if self._visit is None:
            return
        with self._notes():
            parse = self._visit.line.rules.parse_move
            action = await self._site.worker.run(parse, self._visit.shown, text)
            await self._click({"move": str(action)})

    async def _go_to(self, ply: int) -> None:
        """Shows the position after so many moves."""
        if self._visit is not None and 0 <= ply < len(self._visit.line.positions):
            self._visit.show(ply)
            await self._refresh()

    async def _open_node(self, actions: tuple[int, ...]) -> None:
        """Shows the position of a node of the tree; that of the root is the game's."""
        visit = self._visit
        if visit is None:
            return
        position = visit.line.positions[visit.ply]
        for action in actions:
            if action not in position.legal:  # the tree is that of another position
                return
            position = await self._site.worker.run(visit.line.rules.play, position, action)
        visit.variation, visit.shown = actions, position
        await self._show()

    async def _start_new(self, visit: Visit) -> None:
        await self.open(dataclasses.replace(visit.link, position="", moves=()))

    async def _switch_seats(self, visit: Visit) -> None:
        await self.open(visit.link.switched())

    async def _undo(self, visit: Visit) -> None:
        """Takes back the visitor's last move, and what was answered."""
        ply = last_turn_of(visit.line, visit.link.own_seats or {0, 1})
        if ply is None:
            self._board.note("There is no move of yours to take back.")
            return
        visit.continue_with(visit.line.back_to(ply))
        await self._refresh()

    async def _hint(self, visit: Visit) -> None:
        """Points at the move that an agent would play."""
        if visit.adviser is None:
            self._board.note("Nobody in this game searches: choose an agent for X or O.")
        elif visit.is_open:
            position = visit.shown
            analysis = await self._site.searches.search(visit.adviser, position.state)
            if self._visit is not visit or visit.shown is not position:
                return  # the board shows another position by now
            action = analysis.found.action
            move = visit.line.rules.game.format_action(action)
            self._board.note(f"{visit.adviser.kind} would play {move}.")
            self._board.point(action)

    async def _save_text(self, visit: Visit) -> None:
        ui.download.content(as_text(visit.line, visit.link).encode(), "game.txt")

    async def _save_sgf(self, visit: Visit) -> None:
        content = as_sgf(visit.line, visit.link)
        if content is None:
            self._board.note(_NO_SGF)
        else:
            ui.download.content(content, "game.sgf")

    async def _save_image(self, visit: Visit) -> None:
        image = await self._site.worker.run(as_image, visit)
        ui.download.content(image.encode(), "board.svg")

    async def _press(self, event: KeyEventArguments) -> None:
        """Steps through the game by the arrows; u, h and n are undo, hint and new game."""
        if self._visit is None or not is_plain_press(event):
            return
        if event.key.arrow_left:
            await self._go_to(self._visit.ply - 1)
        elif event.key.arrow_right:
            await self._go_to(self._visit.ply + 1)
        elif command := self._keys.get(event.key.name):
            await command()

    def _guard(self, command: Callable[[Visit], Awaitable[None]]) -> Callable[[], Awaitable[None]]:
        """Returns a command that does nothing without a game, and tells errors."""

        async def guarded() -> None:
            if self._visit is not None:
                with self._notes():
                    await command(self._visit)

        return guarded

    @contextlib.contextmanager
    def _notes(self) -> Iterator[None]:
        """Says in one line what is wrong with an input, an agent or an engine."""
        try:
            yield
        except (InputError, RunError) as error:
            with self._content:
                ui.notify(one_line(error), type="warning", multi_line=True)
