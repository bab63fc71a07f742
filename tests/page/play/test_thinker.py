import asyncio
from types import SimpleNamespace

import pytest

from azjax.page.analysis.search_analysis import Analysis, SearchSummary
from azjax.page.play import thinker
from azjax.page.play.game_line import read_game
from azjax.page.play.open_game import OpenGame, Switches
from azjax.page.play.thinker import Thinker

FOUND = SimpleNamespace(action=4, value=0.5, visits=None)
WITHOUT_SEARCH = SimpleNamespace(kind="random", search=None)
SEARCHER = SimpleNamespace(kind="mcts", search="64")


class FakeSite:
    """Notes the positions that a move is chosen in; every search finds `FOUND`."""

    def __init__(self):
        self.positions, self.worker, self.searches = [], self, self

    async def load(self, function, player, position, seed):
        self.positions.append(position)
        return FOUND.action

    async def run_rules(self, function, *arguments):
        return function(*arguments)

    async def watch(self, player, state, seed):
        self.positions.append(next(x for x in self.line.positions if x.state is state))
        yield Analysis(FOUND, SimpleNamespace(tree=None))


def make_thinker(rules, player):
    """Returns a thinker about a game between two agents, the game, and the site."""
    site, line = FakeSite(), read_game(rules, "", ("a1",))
    site.line = line
    opened = OpenGame(None, line, (player, player), Switches(), False, 1, line.last)

    async def show():
        pass

    return Thinker(site, opened, show), opened, site


@pytest.mark.parametrize("player", [WITHOUT_SEARCH, SEARCHER])
def test_an_agent_moves_in_the_game_whatever_node_is_opened_meanwhile(rules, monkeypatch, player):
    monkeypatch.setattr(thinker, "_SECONDS_BETWEEN_AGENTS", 0)
    thinks, opened, site = make_thinker(rules, player)

    async def open_node():
        opened.variation, opened.shown = (8,), rules.play(opened.line.last, 8)

    async def think_meanwhile():
        return (await asyncio.gather(thinks.think(), open_node()))[0]

    assert asyncio.run(think_meanwhile()) == FOUND.action
    assert site.positions == [opened.line.last]


def test_of_a_search_its_summary_is_kept(rules, monkeypatch):
    monkeypatch.setattr(thinker, "_SECONDS_BETWEEN_AGENTS", 0)
    thinks, opened, _ = make_thinker(rules, SEARCHER)
    asyncio.run(thinks.think())
    assert opened.analysis == SearchSummary(FOUND, nodes=(), num_visited=0, lines={})
