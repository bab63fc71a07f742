"""The session of one visitor who plays: the game that is open, and everything that changes it."""

import asyncio
import contextlib
import dataclasses
import functools
from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import Concatenate, ParamSpec, Protocol

from nicegui import background_tasks

from azjax.page.analysis.exact import explain_unknown
from azjax.page.analysis.players import list_agents, list_players
from azjax.page.analysis.rules import GameLine
from azjax.page.boards import explain_illegal
from azjax.page.play.game import OpenGame, Switches, load_game
from azjax.page.play.link import PlayLink, is_number, read_link
from azjax.page.play.thinker import think
from azjax.page.play.words import player_kind
from azjax.page.site import Site
from azjax.support.errors import InputError, RunError, one_line

_IS_LOADING = "Other settings are being loaded: the game goes on when they are there."
_IS_IN_TREE = "A position of the search tree is shown: Esc leads back to the game."

_P = ParamSpec("_P")


class Screen(Protocol):
    """What shows a session."""

    def offer(self, opened: OpenGame, players: list[str]) -> None:
        """Shows the settings of another game, with the players that can be chosen in it."""

    def begin(self, opened: OpenGame) -> None:
        """Shows that another position or other settings are thought about."""

    async def show(self, opened: OpenGame) -> None:
        """Shows the position, and what has been found about it."""

    def note(self, text: str) -> None:
        """Says something about what was tried, such as why a move cannot be played."""

    def point(self, action: int) -> None:
        """Points at a move on the board."""

    def warn(self, text: str) -> None:
        """Says in one line what is wrong with an input, an agent or an engine."""


def _command(
    method: Callable[Concatenate["Session", OpenGame, _P], Awaitable[None]],
) -> Callable[Concatenate["Session", _P], Awaitable[None]]:
    """Returns a command of the open game that does nothing without one, and tells errors."""

    async def command(session: "Session", *args: _P.args, **kwargs: _P.kwargs) -> None:
        if session.opened is not None:
            with session.telling_errors():
                await method(session, session.opened, *args, **kwargs)

    command.__doc__ = method.__doc__  # not `functools.wraps`: NiceGUI would pass an event
    return command


class Session:
    """One visitor's game. It thinks in one task, which every change of the game cancels."""

    def __init__(self, site: Site, screen: Screen):
        self.opened: OpenGame | None = None
        self.switches = Switches()
        self._site, self._screen = site, screen
        self._task: asyncio.Task[None] | None = None
        self._is_left = False
        self._num_opens = 0  # begun so far: only the newest may show its game
        self._is_loading = False  # the newest one

    @contextlib.contextmanager
    def telling_errors(self) -> Iterator[None]:
        """Tells in one line what is wrong with an input, an agent or an engine."""
        try:
            yield
        except (InputError, RunError) as error:
            self._screen.warn(one_line(error))

    async def open_query(self, query: Mapping[str, str]) -> None:
        """Opens the game of an address; what is wrong in it is told, and the rest of it opened."""
        is_told = False
        for names in (tuple(query), ("game", "x", "o", "agent"), ("game",), ()):
            if self.opened or self._is_loading:  # or the visitor has chosen another
                return
            try:
                await self._open(read_link({name: query[name] for name in names if name in query}))
            except (InputError, RunError) as error:
                if not is_told:
                    self._screen.warn(one_line(error))
                is_told = True

    async def open(self, link: PlayLink) -> None:
        """Opens a game with other settings; where its link is wrong the old one stays.

        A game that is over is not gone on with by other players: they begin a new one.
        """
        opened = self.opened
        if opened and opened.line.last.result is not None and link.seats != opened.link.seats:
            link = link.restarted()
        await self.reopen(link, keeps_lines=bool(link.moves))

    async def reopen(self, link: PlayLink, *, keeps_lines: bool = True) -> None:
        """Opens a game as it was, with the lines that were played from the same start."""
        with self.telling_errors():
            await self._open(link, keeps_lines=keeps_lines)

    @_command
    async def open_position(self, opened: OpenGame, text: str) -> None:
        """Begins a game at another position."""
        await self.open(dataclasses.replace(opened.link, position=text, moves=()))

    async def _open(self, link: PlayLink, *, keeps_lines: bool = False) -> None:
        """Opens a game, unless a newer one is asked for while it is loaded."""
        self.stop()
        self._num_opens += 1
        number, self._is_loading = self._num_opens, True
        try:
            agents = await self._site.worker.access_files(list_agents, self._site.runs)
            opened = await load_game(self._site, link, agents, self.switches)
            players = await self._site.worker.run_rules(
                list_players, opened.line.rules.game, agents
            )
            if number == self._num_opens:
                if self.opened is not None:
                    opened.take_over(self.opened, keeps_lines=keeps_lines)
                self.opened = opened
                self._screen.offer(opened, players)
        finally:
            if number == self._num_opens:
                self._is_loading = False
                await self.refresh()

    def leave(self) -> None:
        """Stops for good: what is under way must not go on without its visitor."""
        self._is_left = True
        self.stop()

    def stop(self) -> None:
        """Stops to think."""
        if self._task is not None and self._task is not asyncio.current_task():
            self._task.cancel()
        self._task = None

    async def refresh(self) -> None:
        """Shows the position, and thinks about it, in a task that replaces the former one."""
        self.stop()
        opened = self.opened
        if opened is None or self._is_left:
            return
        opened.analysis, opened.analyst = None, None
        is_unknown = self.switches.exact and not opened.has_exact
        self._screen.note(explain_unknown(opened.line.rules.game) if is_unknown else "")
        self.switches.exact = self.switches.exact and opened.has_exact
        self._screen.begin(opened)
        # No await since the former task was stopped: else two would be under way.
        self._task = background_tasks.create(self._think(opened), name="think")

    async def _think(self, opened: OpenGame) -> None:
        """Shows the position, thinks about it, and plays the move of an agent that is to move."""
        show = functools.partial(self._screen.show, opened)
        with self.telling_errors():
            await show()
            action = await think(self._site, opened, show)
            if action is not None:
                await self._play(opened, action)

    async def _play(self, opened: OpenGame, action: int) -> None:
        """Plays a move in the position that is shown; what came after it is dropped."""
        line = await self._site.worker.run_rules(opened.line.back_to(opened.ply).play, action)
        opened.continue_with(line)
        await self.refresh()

    @_command
    async def click(self, opened: OpenGame, target: Mapping[str, str]) -> None:
        """Plays the move that was clicked, takes a cube, or says why a cell cannot be played.

        The target has the data attributes of what was clicked, see `azjax.page.boards`.
        """
        if opened.variation:
            return
        position, game = opened.shown, opened.line.rules.game
        actions = {str(action): action for action in position.legal}
        move, cube, cell = (target.get(name, "") for name in ("move", "cube", "illegal"))
        if self._is_loading:
            self._screen.note(_IS_LOADING)
        elif opened.mover is not None and position.result is None:
            self._screen.note(f"It is the turn of {opened.title(position.mover)}.")
        elif move in actions:
            await self._play(opened, actions[move])
        elif is_number(cube):
            opened.taken = None if opened.taken == int(cube) else int(cube)
            await self._screen.show(opened)
        elif cell:
            explain = self._site.worker.run_rules
            text = await explain(explain_illegal, game, position.state, position.legal, cell)
            self._screen.note(text)

    @_command
    async def write_move(self, opened: OpenGame, text: str) -> None:
        """Plays a move that was written."""
        if opened.variation:
            self._screen.note(_IS_IN_TREE)
            return
        parse = opened.line.rules.read_move
        action = await self._site.worker.run_rules(parse, opened.shown, text)
        await self.click({"move": str(action)})

    @_command
    async def go_to(self, opened: OpenGame, ply: int) -> None:
        """Shows the position after so many moves."""
        if 0 <= ply < len(opened.line.positions):
            opened.show(ply)
            await self.refresh()

    @_command
    async def return_to(self, opened: OpenGame, line: GameLine, ply: int) -> None:
        """Shows a position of a line that was played before, which is gone on with."""
        opened.continue_with(line)
        await self.go_to(ply)

    @_command
    async def step(self, opened: OpenGame, plies: int) -> None:
        """Goes forward so many moves, or back."""
        await self.go_to(opened.ply + plies)

    @_command
    async def open_node(self, opened: OpenGame, actions: tuple[int, ...]) -> None:
        """Shows the position of a node of the tree; at the root it is the position of the game."""
        line, ply = opened.line, opened.ply
        position = line.positions[ply]
        for action in actions:
            if action not in position.legal:  # the tree is of another position
                return
            position = await self._site.worker.run_rules(line.rules.play, position, action)
        if self.opened is not opened or opened.line is not line or opened.ply != ply:
            return  # the board shows another position by now
        opened.variation, opened.shown = actions, position
        self._screen.note("")
        await self._screen.show(opened)

    @_command
    async def start_new(self, opened: OpenGame) -> None:
        """Begins a new game with the same settings."""
        await self.open(opened.link.restarted())

    @_command
    async def switch_seats(self, opened: OpenGame) -> None:
        """Exchanges the players of X and O."""
        await self.open(opened.link.switched())

    @_command
    async def undo(self, opened: OpenGame) -> None:
        """Takes back the visitor's last move, and what was answered."""
        if opened.variation:  # first out of the tree
            await self.open_node(())
            return
        ply = opened.line.last_turn_of(opened.link.own_seats or {0, 1})
        if self._is_loading or ply is None:
            nothing = "There is no move of yours to take back."
            self._screen.note(_IS_LOADING if self._is_loading else nothing)
            return
        opened.continue_with(opened.line.back_to(ply))
        await self.refresh()

    @_command
    async def hint(self, opened: OpenGame) -> None:
        """Points at the move that an agent would play."""
        adviser, position = opened.adviser, opened.shown
        if adviser is None:
            self._screen.note("Nobody in this game searches: choose an agent for one side.")
        elif opened.can_move:
            if opened.analysis and self._task and self._task.done():  # the search that is shown
                action = opened.analysis.found.action
            else:
                search, seed = self._site.searches.search, len(opened.line.actions)
                action = (await search(adviser, position.state, seed)).found.action
            if self.opened is not opened or opened.shown is not position:
                return  # the board shows another position by now
            (move,) = opened.line.rules.titles([action])
            self._screen.note(f"{player_kind(adviser.name)} would play {move}.")
            self._screen.point(action)
