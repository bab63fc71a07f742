"""The page at `/`: a game against an agent, and what its search thinks."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Iterator

from fastapi import Request
from nicegui import background_tasks, ui
from nicegui.events import KeyEventArguments

from azjax.page.analysis.catalogue import list_agents, list_games, list_players
from azjax.page.analysis.exact import explain_unknown
from azjax.page.analysis.players import PagePlayer
from azjax.page.boards import STYLES, explain_illegal, moves_off_board, render_board
from azjax.page.frame import frame
from azjax.page.keyboard import is_plain_press
from azjax.page.moves.move_table import TABLE_STYLES
from azjax.page.play.analysis_panel import AnalysisPanel
from azjax.page.play.board_panel import BoardPanel
from azjax.page.play.export import as_image, as_sgf, as_text, has_sgf
from azjax.page.play.game_line import last_turn_of
from azjax.page.play.game_loading import load_game
from azjax.page.play.link import PlayLink, is_number, read_link
from azjax.page.play.open_game import OpenGame, Switches
from azjax.page.play.settings_panel import SettingsPanel
from azjax.page.play.status_phrases import describe_status, describe_wait
from azjax.page.play.thinker import Thinker
from azjax.page.site import Site
from azjax.support.component import component_names
from azjax.support.errors import InputError, RunError, one_line

_IS_LOADING = "Other settings are being loaded: the game goes on when they are there."
_IS_IN_TREE = "A position of the search tree is shown: Esc leads back to the game."


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
        self._opened: OpenGame | None = None
        self._task: asyncio.Task[None] | None = None
        self._is_left = False
        self._num_opens = 0  # begun so far: only the newest may show its game
        self._is_loading = False  # the newest one
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
        self._settings = SettingsPanel(self._switches, self._open_settings, self._refresh, buttons)
        with ui.element("div").classes("grid grid-cols-1 lg:grid-cols-2 gap-4 w-full"):
            with ui.column().classes("gap-1 w-full") as self._content:
                self._board = BoardPanel(self._click, self._write_move)
            with ui.column().classes("gap-1 w-full"):
                self._analysis = AnalysisPanel(self._go_to, self._open_node)
        keys = {"u": self._undo, "h": self._hint, "n": self._start_new}
        self._keys = {key: self._guard(command) for key, command in keys.items()}
        ui.keyboard(self._press)

    async def open_query(self, query: dict[str, str]) -> None:
        """Opens the game of an address; what is wrong in it is told, and the rest of it opened."""
        self._board.keep_focus()
        with self._notes():
            try:
                await self._open(read_link(query))
            except (InputError, RunError):
                await self._open_a_part(query)
                raise

    async def _open_a_part(self, query: dict[str, str]) -> None:
        """Opens the game and the players of an address, or its game, or else the usual one."""
        for names in (("game", "x", "o", "agent"), ("game",), ()):
            if self._opened or self._is_loading:  # the visitor has chosen another
                return
            with contextlib.suppress(InputError, RunError):
                await self._open(read_link({name: query[name] for name in names if name in query}))

    async def open(self, link: PlayLink) -> None:
        """Opens a game at its newest position; where the link is wrong the old one stays.

        A game that is loaded only after a newer one has been asked for is dropped.
        """
        with self._notes():
            await self._open(link)

    async def _open(self, link: PlayLink) -> None:
        """Opens a game, or raises what is wrong with its link."""
        self.stop()
        self._num_opens += 1
        number, self._is_loading = self._num_opens, True
        try:
            await self._load(link, number)
        finally:
            if number == self._num_opens:
                self._is_loading = False
                await self._refresh()

    async def _open_settings(self, link: PlayLink) -> None:
        """Opens the game with other settings; after its end other players begin a new one."""
        opened = self._opened
        if opened and opened.line.last.result is not None and link.seats != opened.link.seats:
            link = link.restarted()
        await self.open(link)

    async def _load(self, link: PlayLink, number: int) -> None:
        """Loads a game, and shows its settings unless a newer one has been asked for."""
        agents = await self._site.worker.access_files(list_agents, self._site.runs)
        opened = await load_game(self._site, link, agents, self._switches)
        game = opened.line.rules.game
        players = await self._site.worker.run_rules(list_players, game, agents)
        if number == self._num_opens:
            self._show_opened(opened, players)

    def _show_opened(self, opened: OpenGame, players: list[str]) -> None:
        """Shows the settings of a game that has been opened; what is known of it is kept."""
        if self._opened is not None:
            opened.take_over(self._opened)
        self._opened = opened
        self._settings.show(opened.link, opened.shown.text)
        self._settings.allow("SGF", has_sgf(opened.line.rules.game))
        self._settings.offer(list_games(), players, component_names("search"))

    def leave(self) -> None:
        """Stops for good: what is under way must not go on without its visitor."""
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
        if self._opened is None or self._is_left:
            return
        opened = self._opened
        opened.analysis, opened.analyst = None, None
        self._analysis.clear_search()
        is_unknown = self._switches.exact and not opened.has_exact
        self._board.note(explain_unknown(opened.line.rules.game) if is_unknown else "")
        if is_unknown:
            self._settings.turn_off_exact()
        self._settings.show(opened.link, opened.shown.text)
        with self._content:
            ui.navigate.history.replace(opened.link.address())
        # No await since the former task was stopped: else two would be under way.
        self._task = background_tasks.create(self._think(opened), name="think")

    async def _think(self, opened: OpenGame) -> None:
        """Shows the position, thinks about it, and plays the move of an agent that is to move."""
        with self._notes():
            await self._show()
            action = await Thinker(self._site, opened, self._show).think()
            if action is not None:
                await self._play(action)

    async def _show(self) -> None:
        """Shows the board, the chance of winning, and the search."""
        opened = self._opened
        assert opened
        game, position = opened.line.rules.game, opened.shown
        run = self._site.worker.run_rules
        svg = await run(render_board, game, position.state, position.legal, opened.marks())
        off_board = moves_off_board(game, position.legal) if opened.can_move else []
        buttons = [(action, game.format_action(action)) for action in off_board]
        self._board.show(svg, describe_status(opened), buttons)
        self._analysis.show_values(opened.win_values(), opened.line.names(), opened.ply)
        analyst, analysis = opened.analyst, opened.analysis
        if analyst and analysis is None:
            self._analysis.show_title(describe_wait(analyst))
        elif analyst and analysis and not opened.variation:
            self._analysis.show_search(
                analyst.kind, analysis, opened.line.rules, opened.shown_exact()
            )

    async def _play(self, action: int) -> None:
        """Plays a move in the position that is shown; what came after it is dropped."""
        opened = self._opened
        assert opened
        line = await self._site.worker.run_rules(opened.line.back_to(opened.ply).play, action)
        opened.continue_with(line)
        await self._refresh()

    async def _click(self, target: dict[str, str]) -> None:
        """Plays the move that was clicked, takes a cube, or says why a cell cannot be played."""
        opened = self._opened
        if opened is None or opened.variation:
            return
        position, game = opened.shown, opened.line.rules.game
        actions = {str(action): action for action in position.legal}
        move, cube, cell = (target.get(name, "") for name in ("move", "cube", "illegal"))
        if self._is_loading:
            self._board.note(_IS_LOADING)
        elif opened.mover is not None and position.result is None:
            self._board.note(f"It is the turn of {opened.mover.kind}.")
        elif move in actions:
            await self._play(actions[move])
        elif is_number(cube):
            opened.taken = None if opened.taken == int(cube) else int(cube)
            await self._show()
        elif cell:
            explain = self._site.worker.run_rules
            text = await explain(explain_illegal, game, position.state, position.legal, cell)
            self._board.note(text)

    async def _write_move(self, text: str) -> None:
        """Plays a move that was written."""
        opened = self._opened
        if opened is None:
            return
        if opened.variation:
            self._board.note(_IS_IN_TREE)
            return
        with self._notes():
            parse = opened.line.rules.parse_move
            action = await self._site.worker.run_rules(parse, opened.shown, text)
            await self._click({"move": str(action)})

    async def _go_to(self, ply: int) -> None:
        """Shows the position after so many moves."""
        if self._opened is not None and 0 <= ply < len(self._opened.line.positions):
            self._opened.show(ply)
            await self._refresh()

    async def _open_node(self, actions: tuple[int, ...]) -> None:
        """Shows the position of a node of the tree; that of the root is the game's."""
        opened = self._opened
        if opened is None:
            return
        line, ply = opened.line, opened.ply
        position = line.positions[ply]
        for action in actions:
            if action not in position.legal:  # the tree is that of another position
                return
            position = await self._site.worker.run_rules(line.rules.play, position, action)
        if self._opened is not opened or opened.line is not line or opened.ply != ply:
            return  # the board shows another position by now
        opened.variation, opened.shown = actions, position
        self._board.note("")
        await self._show()

    async def _start_new(self, opened: OpenGame) -> None:
        await self.open(opened.link.restarted())

    async def _switch_seats(self, opened: OpenGame) -> None:
        await self._open_settings(opened.link.switched())

    async def _undo(self, opened: OpenGame) -> None:
        """Takes back the visitor's last move, and what was answered."""
        if opened.variation:  # first out of the tree
            await self._open_node(())
            return
        ply = last_turn_of(opened.line, opened.link.own_seats or {0, 1})
        if self._is_loading:
            self._board.note(_IS_LOADING)
            return
        if ply is None:
            self._board.note("There is no move of yours to take back.")
            return
        opened.continue_with(opened.line.back_to(ply))
        await self._refresh()

    async def _hint(self, opened: OpenGame) -> None:
        """Points at the move that an agent would play."""
        if opened.adviser is None:
            self._board.note("Nobody in this game searches: choose an agent for X or O.")
        elif opened.can_move:
            position = opened.shown
            action = await self._advise(opened, opened.adviser)
            if self._opened is not opened or opened.shown is not position:
                return  # the board shows another position by now
            move = opened.line.rules.game.format_action(action)
            self._board.note(f"{opened.adviser.kind} would play {move}.")
            self._board.point(action)

    async def _advise(self, opened: OpenGame, adviser: PagePlayer) -> int:
        """Returns the move of the search that is shown, or of another one while it goes on."""
        if opened.analysis and self._task and self._task.done():
            return opened.analysis.found.action
        seed = len(opened.line.actions)
        return (await self._site.searches.search(adviser, opened.shown.state, seed)).found.action

    async def _save_text(self, opened: OpenGame) -> None:
        ui.download.content(as_text(opened.line, opened.link).encode(), "game.txt")

    async def _save_sgf(self, opened: OpenGame) -> None:
        ui.download.content(as_sgf(opened.line, opened.link), "game.sgf")

    async def _save_image(self, opened: OpenGame) -> None:
        image = await self._site.worker.run_rules(as_image, opened)
        ui.download.content(image.encode(), "board.svg")

    async def _press(self, event: KeyEventArguments) -> None:
        """Steps through the game by the arrows, and out of the tree by Esc; u is undo, h is a hint,
        and n a new game.
        """
        if self._opened is None or not is_plain_press(event):
            return
        if event.key.arrow_left:
            await self._go_to(self._opened.ply - 1)
        elif event.key.escape:
            await self._open_node(())
        elif event.key.arrow_right:
            await self._go_to(self._opened.ply + 1)
        elif command := self._keys.get(event.key.name):
            await command()

    def _guard(
        self, command: Callable[[OpenGame], Awaitable[None]]
    ) -> Callable[[], Awaitable[None]]:
        """Returns a command that does nothing without a game, and tells errors."""

        async def guarded() -> None:
            if self._opened is not None:
                with self._notes():
                    await command(self._opened)

        return guarded

    @contextlib.contextmanager
    def _notes(self) -> Iterator[None]:
        """Says in one line what is wrong with an input, an agent or an engine."""
        try:
            yield
        except (InputError, RunError) as error:
            with self._content:
                ui.notify(one_line(error), type="warning", multi_line=True)
