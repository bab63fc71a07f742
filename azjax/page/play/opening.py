"""A link to a game becomes the game of a visit."""

import dataclasses

from azjax.page.analysis.catalogue import Agent, list_players
from azjax.page.analysis.players import PagePlayer
from azjax.page.analysis.rules import Rules, make_rules
from azjax.page.play.game_line import read_game
from azjax.page.play.link import PERSON, PlayLink
from azjax.page.play.visit import Switches, Visit
from azjax.page.site import Site


async def open_visit(site: Site, link: PlayLink, agents: list[Agent], switches: Switches) -> Visit:
    """Returns the visit of a link, whose newest position is shown.

    Raises:
      InputError: Something in the link is wrong.
    """
    rules = await _find_rules(site, link)
    opponent = link.second or list_players(rules.game, agents)[0]
    link = dataclasses.replace(link, game=rules.game.name, second=opponent)
    first, second = [await _load(site, link, name) for name in link.seats]
    line = await site.worker.run(read_game, rules, link.position, link.moves)
    return Visit(link, line, (first, second), switches, len(line.actions), line.last)


async def _find_rules(site: Site, link: PlayLink) -> Rules:
    """Returns the rules of the game that a link names, or that its agent plays."""
    game = link.game
    if not game:
        named = next((name for name in (link.second, link.first) if name != PERSON), "")
        game = (await site.players.get(named)).game.name
    return await site.worker.run(make_rules, game)


async def _load(site: Site, link: PlayLink, name: str) -> PagePlayer | None:
    if name == PERSON:
        return None
    return await site.players.get(name, link.game, link.simulations, link.algorithm or None)
