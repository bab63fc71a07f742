"""Loads the game of a link: its rules, its players, and its moves so far."""

import dataclasses

from azjax.page.analysis.catalogue import Agent, list_players
from azjax.page.analysis.exact import is_solved
from azjax.page.analysis.players import PagePlayer
from azjax.page.analysis.rules import Rules, make_rules
from azjax.page.play.game_line import read_game
from azjax.page.play.link import PERSON, PlayLink
from azjax.page.play.open_game import OpenGame, Switches
from azjax.page.site import Site


async def load_game(
    site: Site, link: PlayLink, agents: list[Agent], switches: Switches
) -> OpenGame:
    """Returns the game of a link; its newest position is shown.

    Raises:
      InputError: Something in the link is wrong.
    """
    rules, run = await _find_rules(site, link), site.worker.run_rules
    opponent = link.second or (await run(list_players, rules.game, agents))[0]
    link = dataclasses.replace(link, game=rules.game.name, second=opponent)
    first, second = [await _load_player(site, link, name) for name in link.seats]
    line = await run(read_game, rules, link.position, link.moves)
    has_exact = await run(is_solved, rules.game)
    num_moves = len(line.actions)
    return OpenGame(link, line, (first, second), switches, has_exact, num_moves, line.last)


async def _find_rules(site: Site, link: PlayLink) -> Rules:
    """Returns the rules of the game that a link names, or that its agent or the usual one plays."""
    game = link.game
    if not game:
        named = [name for name in (link.second, link.first) if name and name != PERSON]
        agent = named[0] if named else PlayLink.second
        game = (await site.players.get(agent)).game.name
    return await site.worker.run_rules(make_rules, game)


async def _load_player(site: Site, link: PlayLink, name: str) -> PagePlayer | None:
    if name == PERSON:
        return None
    return await site.players.get(name, link.game, link.simulations, link.algorithm or None)
