"""The games of a network, step by step."""

from collections.abc import Callable

from nicegui import ui
from nicegui.events import GenericEventArguments, KeyEventArguments

from azjax.games.grid import SYMBOLS
from azjax.page.analysis.rules import GameLine, Rules
from azjax.page.boards import Marks, render_board
from azjax.page.evolution.networks import PlayedGame, RunNetworks, play_game
from azjax.page.frame import grid, is_plain_press
from azjax.page.moves import MovePanel, WinPanel
from azjax.page.site import Site
from azjax.page.values import RESULT_WORDS, describe_chance
from azjax.support.errors import InputError

_SEATS = {0: "as X", 1: "as O"}
_KEEP_KEYS = "(event) => event.stopPropagation()"  # else a slider's arrows would step twice


class GamePanel:
    """A game of the network of an iteration against itself or the final one."""

    def __init__(self, site: Site, on_choose: Callable[[], None]):
        """Builds the panel, without a game; it calls when a network or a seat is chosen."""
        self._site, self._on_choose = site, on_choose
        self._networks: RunNetworks | None = None
        self._rules: Rules | None = None
        self._game: PlayedGame | None = None
        self._ply = 0
        self._is_following = True  # the game while it is played
        with ui.row().classes("items-center gap-4 w-full"):
            self._label = ui.label().classes("w-36")
            self._slider = ui.slider(min=0, max=0, value=0, on_change=self._label_network)
            self._slider.classes("grow max-w-xl").mark("networks")
            self._slider.on("keydown", js_handler=_KEEP_KEYS).on("change", self._choose)
            self._seat = ui.toggle(_SEATS, value=0, on_change=on_choose).mark("seat")
        self._title = ui.label().classes("text-base font-medium min-h-6").mark("game")
        with grid("lg:grid-cols-2"):
            with ui.column().classes("gap-1 w-full"):
                self._board = ui.html("", sanitize=False).classes("w-full max-w-xl mx-auto board")
                self._plies = ui.slider(min=0, max=0, value=0, on_change=self._slide).mark("plies")
                self._plies.on("keydown", js_handler=_KEEP_KEYS)
                self._words = ui.label().classes("text-sm text-slate-600")
            with ui.column().classes("gap-1 w-full"):
                self._wins = WinPanel(self._go_to)
                self._moves = MovePanel()
        ui.keyboard(on_key=self._press, ignore=["input", "select", "textarea"])

    @property
    def iteration(self) -> int:
        """The iteration of the network that is chosen."""
        assert self._networks
        return self._networks.iterations[int(self._slider.value or 0)]

    def open(self, networks: RunNetworks, rules: Rules) -> None:
        """Offers the networks of a run; the newest is chosen."""
        self._networks, self._rules = networks, rules
        newest = len(networks.iterations) - 1
        self._slider.props["max"] = newest
        self._slider.set_value(newest)
        self._label_network()

    async def play(self, opponent: int) -> None:
        """Plays a game of the chosen network against that of another iteration.

        Raises:
          InputError: A network cannot be read.
        """
        assert self._networks
        assert self._rules
        own, seat = self.iteration, int(self._seat.value or 0)
        seats = (own, opponent) if seat == 0 else (opponent, own)
        start = await self._site.worker.run_rules(self._rules.start)
        game = PlayedGame(GameLine(self._rules, (start,)))
        self._is_following = True
        await self._take(game, seats)
        load = self._site.players.get
        names = [self._networks.player(iteration) for iteration in seats]
        try:
            first, second = [await load(name) for name in names]
        except InputError:
            self._title.set_text(describe_seats(seats))
            raise
        async for later in play_game(self._site, game, first, second):
            await self._take(later, seats)

    async def _take(self, game: PlayedGame, seats: tuple[int, int]) -> None:
        """Shows a game that has begun or gone on."""
        self._game = game
        self._title.set_text(describe_game(game, seats))
        self._plies.props["max"] = len(game.analyses)
        if self._is_following:
            self._set_ply(len(game.analyses))
        await self._show()

    def _set_ply(self, ply: int) -> None:
        self._ply = ply
        self._plies.set_value(ply)

    async def _show(self) -> None:
        """Shows the ply, unless another one is chosen meanwhile."""
        game, ply = self._game, self._ply
        if game is None:
            return
        line, position = game.line, game.line.positions[ply]
        analysis = game.analyses[ply] if ply < len(game.analyses) else None
        shares = [] if analysis is None else analysis.found.policy.tolist()
        weights = {action: share for action, share in enumerate(shares) if share > 0}
        marks = Marks(last=line.actions[ply - 1] if ply else None, weights=weights)
        run = self._site.worker.run_rules
        svg = await run(render_board, line.rules.game, position.state, position.legal, marks)
        if (game, ply) != (self._game, self._ply):
            return
        self._board.set_content(svg)
        self._words.set_text(describe_ply(game, ply))
        self._wins.show(game.values(), line.names(), ply)
        self._moves.show(analysis, line.rules)

    def _label_network(self) -> None:
        if self._networks:
            self._label.set_text(f"iteration {self.iteration:,}")

    def _choose(self, event: GenericEventArguments) -> None:
        """Takes the place where the slider is released: its last step may arrive only later."""
        self._slider.set_value(event.args)
        self._on_choose()

    async def _slide(self) -> None:
        await self._go_to(int(self._plies.value or 0))

    async def _press(self, event: KeyEventArguments) -> None:
        """Steps through the game by the arrows."""
        if is_plain_press(event) and (event.key.arrow_left or event.key.arrow_right):
            await self._go_to(self._ply + (1 if event.key.arrow_right else -1))

    async def _go_to(self, ply: int) -> None:
        if self._game and ply != self._ply and 0 <= ply <= len(self._game.analyses):
            self._set_ply(ply)
            self._is_following = ply == len(self._game.analyses)
            await self._show()


def describe_seats(seats: tuple[int, int]) -> str:
    """Returns who plays, by the iterations of their networks."""
    first, second = seats
    return f"Iteration {first:,} as X, iteration {second:,} as O"


def describe_game(game: PlayedGame, seats: tuple[int, int]) -> str:
    """Returns who plays, and the result or the move that is being searched, in one line."""
    result, num_moves = game.line.last.result, len(game.line.actions)
    if result is None:
        return f"{describe_seats(seats)}: move {num_moves + 1} is being searched"
    return f"{describe_seats(seats)}: {RESULT_WORDS[result]} after {num_moves} moves"


def describe_ply(game: PlayedGame, ply: int) -> str:
    """Returns where a game stands after so many moves, in one line."""
    position, value = game.line.positions[ply], game.values()[ply]
    phrases = [f"after {ply} of {len(game.line.actions)} moves"]
    if position.result is None:
        phrases.append(f"{SYMBOLS[position.mover]} to move")
    if value is not None:
        phrases.append(f"chance that X wins {describe_chance(value)}")
    return ", ".join(phrases)
