"""What is thought about a game: the moves of agents, analyses, and exact values."""

import asyncio
from collections.abc import Awaitable, Callable

from azjax.page.analysis.exact import exact_values
from azjax.page.analysis.players import PagePlayer
from azjax.page.analysis.rules import Position
from azjax.page.analysis.summary import summarize
from azjax.page.play.game import OpenGame
from azjax.page.site import Site

OnFound = Callable[[], Awaitable[None]]


async def think(site: Site, opened: OpenGame, on_found: OnFound) -> int | None:
    """Thinks about the position that is shown; returns the move of an agent that is to move.

    It calls `on_found` whenever something new is known of the game.
    """
    position, is_newest, mover = opened.shown, opened.is_newest, opened.mover
    if opened.switches.exact and opened.has_exact:
        await _find_exact(site, opened)
        await on_found()
    is_over = position.result is not None
    if not is_over and is_newest and mover and not opened.switches.paused:
        return await _choose(site, opened, mover, position, on_found)
    if opened.switches.analysis and opened.adviser:
        if not is_over:
            await _watch(site, opened, opened.adviser, position, on_found)
        if await _find_values(site, opened, opened.adviser):
            await on_found()
    return None


async def _choose(
    site: Site, opened: OpenGame, player: PagePlayer, position: Position, on_found: OnFound
) -> int:
    """Returns the move of an agent."""
    if None not in opened.players:
        await asyncio.sleep(opened.switches.seconds)  # so that one can follow
    if player.search is None:  # its program may have to be compiled, or a solver asked
        opened.analyst = player
        await on_found()
        return await site.worker.load(player.choose_move, position, len(opened.line.actions))
    await _watch(site, opened, player, position, on_found)
    assert opened.analysis
    return opened.analysis.found.action


async def _watch(
    site: Site, opened: OpenGame, player: PagePlayer, position: Position, on_found: OnFound
) -> None:
    """Shows who thinks, and then a search of a position as it goes on."""
    opened.analyst = player
    await on_found()
    seed, kept = len(opened.line.actions), opened.kept
    async for analysis in site.searches.watch(player, position.state, seed, kept):
        opened.analysis = await site.worker.run_rules(summarize, analysis)
        opened.values[position.text] = position.value_for_first(opened.analysis.found.value)
        await on_found()


async def _find_values(site: Site, opened: OpenGame, player: PagePlayer) -> int:
    """Searches the positions of the game that have no value yet, all at once; returns how many."""
    positions = [
        position
        for position in opened.line.positions
        if position.result is None and position.text not in opened.values
    ]
    searches = [site.searches.search(player, one.state) for one in positions]
    for position, analysis in zip(positions, await asyncio.gather(*searches), strict=True):
        opened.values[position.text] = position.value_for_first(analysis.found.value)
    return len(positions)


async def _find_exact(site: Site, opened: OpenGame) -> None:
    """Finds the exact values of the game's positions, and of the one that is shown."""
    for position in [*opened.line.positions, opened.shown]:
        if position.result is None and position.text not in opened.exact:
            find, game = site.worker.load, opened.line.rules.game
            opened.exact[position.text] = await find(exact_values, game, position)
