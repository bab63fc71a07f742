"""What is thought about a game: the moves of agents, analyses, and exact values."""

import asyncio
from collections.abc import Awaitable, Callable

from azjax.page.analysis.exact import exact_values
from azjax.page.analysis.moves_without_search import choose_move
from azjax.page.analysis.players import PagePlayer
from azjax.page.analysis.rules import Position
from azjax.page.analysis.search_analysis import summarize
from azjax.page.play.open_game import OpenGame
from azjax.page.site import Site

_SECONDS_BETWEEN_AGENTS = 0.4  # so that a game of two agents can be followed


class Thinker:
    """Thinks about an open game, and shows what it finds as it finds it."""

    def __init__(self, site: Site, opened: OpenGame, on_found: Callable[[], Awaitable[None]]):
        """Takes the game, and what shows it."""
        self._site, self._opened, self._on_found = site, opened, on_found

    async def think(self) -> int | None:
        """Thinks about the position that is shown; returns the move of an agent that is to move."""
        opened = self._opened
        position, is_newest, mover = opened.shown, opened.is_newest, opened.mover
        if opened.switches.exact and opened.has_exact:
            await self._find_exact()
        is_over = position.result is not None
        if not is_over and is_newest and mover and not opened.switches.paused:
            return await self._choose(mover, position)
        if opened.switches.analysis and opened.adviser:
            if not is_over:
                await self._announce(opened.adviser)
                await self._watch(opened.adviser, position)
            await self._find_values(opened.adviser)
        return None

    async def _announce(self, player: PagePlayer) -> None:
        """Shows who thinks, before anything is found."""
        self._opened.analyst = player
        await self._on_found()

    async def _choose(self, player: PagePlayer, position: Position) -> int:
        """Returns the move of an agent."""
        await self._announce(player)
        if None not in self._opened.players:
            await asyncio.sleep(_SECONDS_BETWEEN_AGENTS)
        if player.search is None:  # its program may have to be compiled, or a solver asked
            seed = len(self._opened.line.actions)
            return await self._site.worker.load(choose_move, player, position, seed)
        await self._watch(player, position)
        assert self._opened.analysis
        return self._opened.analysis.found.action

    async def _watch(self, player: PagePlayer, position: Position) -> None:
        """Shows a search of a position as it goes on."""
        opened, seed = self._opened, len(self._opened.line.actions)
        async for analysis in self._site.searches.watch(player, position.state, seed):
            summary = await self._site.worker.run_rules(summarize, analysis)
            opened.analysis = summary
            opened.values[position.text] = position.value_for_first(summary.value)
            await self._on_found()

    async def _find_values(self, player: PagePlayer) -> None:
        """Searches the positions of the game that have no value yet, all at once."""
        positions = [
            position
            for position in self._opened.line.positions
            if position.result is None and position.text not in self._opened.values
        ]
        searches = [self._site.searches.search(player, one.state) for one in positions]
        for position, analysis in zip(positions, await asyncio.gather(*searches), strict=True):
            value = position.value_for_first(analysis.found.value)
            self._opened.values[position.text] = value
        if positions:
            await self._on_found()

    async def _find_exact(self) -> None:
        """Finds the exact values of the game's positions, and of the one that is shown."""
        opened = self._opened
        for position in [*opened.line.positions, opened.shown]:
            if position.result is None and position.text not in opened.exact:
                find, game = self._site.worker.load, opened.line.rules.game
                opened.exact[position.text] = await find(exact_values, game, position)
        await self._on_found()
