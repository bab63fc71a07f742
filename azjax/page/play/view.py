"""The page at `/`: a game against an agent, and what its search thinks."""

import functools
from collections.abc import Awaitable, Callable
from urllib.parse import parse_qsl

from fastapi import Request
from nicegui import ui
from nicegui.events import GenericEventArguments, KeyEventArguments

from azjax.page.analysis.players import list_games
from azjax.page.analysis.rules import move_name
from azjax.page.boards import PAGE_STYLES, STYLES, moves_off_board, render_board
from azjax.page.frame import frame, is_plain_press, row_button
from azjax.page.play.branches import STYLES as BRANCH_STYLES
from azjax.page.play.branches import BranchPanel
from azjax.page.play.curve import STYLES as CURVE_STYLES
from azjax.page.play.curve import WinPanel
from azjax.page.play.export import as_image, as_sgf, as_text
from azjax.page.play.game import OpenGame, describe_status
from azjax.page.play.help import HelpButton, describe_counts, describe_moves
from azjax.page.play.link import read_link
from azjax.page.play.panels import STYLES as PANEL_STYLES
from azjax.page.play.panels import AnalysisPanel, BoardPanel
from azjax.page.play.review import ReviewPanel, judge_moves, worst_moves
from azjax.page.play.session import Session
from azjax.page.play.settings import MoreMenu, Pace, SettingsBar
from azjax.page.site import Site
from azjax.support.component import component_names

_TELL_BACK = 'addEventListener("popstate", () => emitEvent("back", location.search))'


def add_pages(site: Site) -> None:
    """Adds the view."""

    @ui.page("/")
    def play(request: Request) -> None:
        ui.add_css(STYLES + PAGE_STYLES + PANEL_STYLES + CURVE_STYLES + BRANCH_STYLES)
        with frame("Play"):
            view = PlayView(site)
        query = dict(request.query_params)
        ui.timer(0, lambda: view.open_query(query), once=True)
        ui.context.client.on_delete(view.session.leave)


class PlayView:
    """The layout of the page, and the screen of its session."""

    def __init__(self, site: Site):
        self._site = site
        self.session = session = Session(site, self)
        rare: dict[str, Callable[[], Awaitable[None]]] = {"Switch seats": session.switch_seats}
        for name, file in (("Text", "game.txt"), ("SGF", "game.sgf"), ("Image", "board.svg")):
            rare[name] = functools.partial(self._save, file)
        with ui.element("div").classes("grid grid-cols-1 lg:grid-cols-2 gap-4 w-full"):
            with ui.element("div").classes("order-2 lg:order-1 lg:col-span-2"):
                self._settings = SettingsBar(session.open)
            with ui.column().classes("gap-1 w-full order-1 lg:order-2") as self._content:
                self._board = BoardPanel(session.click, session.write_move)
                with ui.row().classes("items-center gap-2 w-full"):
                    row_button("New game", session.start_new)
                    row_button("Undo", session.undo)
                    row_button("Hint", session.hint)
                    self._pace = Pace(session.switches, session.refresh)
                    self._more = MoreMenu(
                        session.switches, session.refresh, session.open_position, rare
                    )
                    self._board.add_input()
                    self._help = HelpButton()
                self._wins = WinPanel(session.go_to)
                self._branches = BranchPanel(session.return_to)
                self._review = ReviewPanel(session.go_to)
            with ui.column().classes("gap-1 w-full order-3"):
                self._analysis = AnalysisPanel(session.switches, self._recolour, session.open_node)
        ui.keyboard(self._press)
        ui.on("back", self._go_back)
        self._address, self._is_turn = "", False  # of the game in the address

    async def open_query(self, query: dict[str, str]) -> None:
        """Opens the game of an address."""
        self._board.keep_focus()
        ui.run_javascript(_TELL_BACK)
        await self.session.open_query(query)

    def offer(self, opened: OpenGame, players: list[str]) -> None:
        self._settings.show(opened.link, opened.sides)
        self._settings.offer(list_games(), players, component_names("search"))

    def begin(self, opened: OpenGame) -> None:
        self._analysis.clear_search()
        self._settings.show(opened.link, opened.sides)
        self._more.show(opened.shown.text)
        self._pace.show(has_person=bool(opened.link.own_seats))
        with self._content:
            self._write_address(opened)

    def _write_address(self, opened: OpenGame) -> None:
        """Puts the game into the address: the browser's Back leads to the visitor's last turn."""
        address = opened.link.address()
        if address != self._address:
            history = ui.navigate.history
            (history.push if self._is_turn else history.replace)(address)
        last = opened.line.last
        self._is_turn = last.result is not None or last.mover in opened.link.own_seats
        self._address = address

    async def _go_back(self, event: GenericEventArguments) -> None:
        """Opens the game of an address that the browser has gone back to, or forward."""
        self._address = f"/{event.args}"
        with self.session.telling_errors():  # an address may be wrong
            link = read_link(dict(parse_qsl(str(event.args).lstrip("?"))))
            await self.session.reopen(link)

    async def show(self, opened: OpenGame) -> None:
        game, position = opened.line.rules.game, opened.shown
        run = self._site.worker.run_rules
        svg = await run(render_board, game, position.state, position.legal, opened.marks())
        off_board = moves_off_board(game, position.legal) if opened.can_move else []
        buttons = {action: move_name(game, action) for action in off_board}
        facts = describe_moves(game) or describe_counts(opened)
        self._board.show(svg, describe_status(opened), facts, buttons)
        self._help.show(game)
        self._board.evaluation.show(opened)
        moves = judge_moves(opened)
        worst = worst_moves(moves, opened.link.own_seats or {0, 1})
        self._wins.show(opened, worst)
        self._branches.show(opened)
        self._review.show(opened, moves, worst)
        self._analysis.show(opened)

    async def _recolour(self) -> None:
        if self.session.opened:
            await self.show(self.session.opened)

    def note(self, text: str) -> None:
        self._board.note(text)

    def point(self, action: int) -> None:
        with self._content:
            self._board.point(action)

    def warn(self, text: str) -> None:
        with self._content:
            ui.notify(text, type="warning", multi_line=True)

    async def _save(self, file: str) -> None:
        """Saves the game, or the image of its board, as a file."""
        opened = self.session.opened
        if opened is None:
            return
        with self.session.telling_errors():
            if file == "board.svg":
                content = await self._site.worker.run_rules(as_image, opened)
            else:
                content = (as_sgf if file == "game.sgf" else as_text)(opened.line, opened.link)
            ui.download.content(content, file)

    async def _press(self, event: KeyEventArguments) -> None:
        """Steps through the game by the arrows, and out of the tree by Esc; u is undo, h is a hint,
        and n a new game.
        """
        if not is_plain_press(event):
            return
        session, key = self.session, event.key
        if key.arrow_left or key.arrow_right:
            await session.step(1 if key.arrow_right else -1)
        elif key.escape:
            await session.open_node(())
        elif command := {"u": session.undo, "h": session.hint, "n": session.start_new}.get(
            key.name
        ):
            await command()
