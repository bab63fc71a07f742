"""A board on which the networks of a run play, each against itself, one after the other."""

import asyncio

from nicegui import ui

from azjax.page.analysis.rules import GameLine, Rules
from azjax.page.boards import Marks, board_of, render_board
from azjax.page.evolution.networks import RunNetworks
from azjax.page.site import Site

_SECONDS_BETWEEN_MOVES, _SECONDS_BETWEEN_GAMES = 0.2, 1.5


class GamePanel:
    """The board, and what has been played."""

    def __init__(self, site: Site):
        self._site = site
        self._text = ui.label().classes("text-sm quiet").mark("game")
        self._board = ui.html("", sanitize=False).classes("w-full max-w-sm").mark("board")

    async def play(self, networks: RunNetworks, iteration: int, rules: Rules) -> None:
        """Shows a game of the network of an iteration against itself, move by move.

        Raises:
          InputError: The network cannot be read.
        """
        site = self._site
        player = await site.players.get(networks.player(iteration))
        line = GameLine(rules, (await site.worker.run_rules(rules.start),))
        await self._show(line, iteration)
        while line.last.result is None:
            found = (await site.searches.search(player, line.last.state)).found
            line = await site.worker.run_rules(line.play, found.action)
            await self._show(line, iteration)
            await asyncio.sleep(_SECONDS_BETWEEN_MOVES)
        await asyncio.sleep(_SECONDS_BETWEEN_GAMES)

    async def _show(self, line: GameLine, iteration: int) -> None:
        position = line.last
        marks = Marks(last=line.actions[-1] if line.actions else None, is_clickable=False)
        game, render = line.rules.game, self._site.worker.run_rules
        self._board.set_content(
            await render(render_board, game, position.state, position.legal, marks)
        )
        first, second = board_of(game).sides
        ends = {None: "", 1: f", {first} wins", 0: ", draw", -1: f", {second} wins"}
        moves = " ".join(line.titles())
        self._text.set_text(f"Iteration {iteration:,}: {moves}{ends[position.result]}")
