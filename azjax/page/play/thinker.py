"""What is thought about a game: the moves of agents, analyses, and exact values."""

import asyncio
from collections.abc import Awaitable, Callable

from azjax.page.analysis.exact import exact_values, is_solved
from azjax.page.analysis.moves import choose_move
from azjax.page.analysis.players import PagePlayer
from azjax.page.play.visit import Visit
from azjax.page.site import Site

_SECONDS_BETWEEN_AGENTS = 0.4  # so that a game of two agents can be followed


class Thinker:
    """Thinks about the game of a visit, and shows what it finds as it finds it."""

    def __init__(self, site: Site, visit: Visit, on_found: Callable[[], Awaitable[None]]):
        """Takes the visit, and what shows it."""
        self._site, self._visit, self._on_found = site, visit, on_found

    async def think(self) -> int | None:
        """Thinks about the position that is shown; returns the move of an agent that is to move."""
        visit = self._visit
        if visit.switches.exact and is_solved(visit.line.rules.game):
            await self._find_exact()
        is_over = visit.shown.result is not None
        if not is_over and visit.is_newest and visit.mover and not visit.switches.paused:
            return await self._choose(visit.mover)
        if visit.switches.analysis and visit.adviser:
            if not is_over:
                await self._watch(visit.adviser)
            await self._find_values(visit.adviser)
        return None

    async def _choose(self, player: PagePlayer) -> int:
        """Returns the move of an agent."""
        if None not in self._visit.players:
            await asyncio.sleep(_SECONDS_BETWEEN_AGENTS)
        if player.search is None:  # its program may have to be compiled, or a solver asked
            seed = len(self._visit.line.actions)
            return await self._site.worker.load(choose_move, player, self._visit.shown, seed)
        await self._watch(player)
        assert self._visit.analysis
        return self._visit.analysis.found.action

    async def _watch(self, player: PagePlayer) -> None:
        """Shows a search of the position that is shown as it goes on."""
        visit, position = self._visit, self._visit.shown
        seed = len(visit.line.actions)
        async for analysis in self._site.searches.watch(player, position.state, seed):
            visit.analysis, visit.analyst = analysis, player.kind
            visit.values[position.text] = position.value_for_first(analysis.value)
            await self._on_found()

    async def _find_values(self, player: PagePlayer) -> None:
        """Searches the positions of the game that have no value yet, all at once."""
        positions = [
            position
            for position in self._visit.line.positions
            if position.result is None and position.text not in self._visit.values
        ]
        searches = [self._site.searches.search(player, one.state) for one in positions]
        for position, analysis in zip(positions, await asyncio.gather(*searches), strict=True):
            value = position.value_for_first(analysis.value)
            self._visit.values[position.text] = value
        if positions:
            await self._on_found()

    async def _find_exact(self) -> None:
        """Finds the exact values of the game's positions, and of the one that is shown."""
        visit = self._visit
        for position in [*visit.line.positions, visit.shown]:
            if position.result is None and position.text not in visit.exact:
                find, game = self._site.worker.load, visit.line.rules.game
                visit.exact[position.text] = await find(exact_values, game, position)
        await self._on_found()
