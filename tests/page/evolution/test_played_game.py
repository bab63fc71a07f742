import asyncio
import gc
import weakref
from types import SimpleNamespace

import numpy as np

from azjax import games
from azjax.page.analysis.rules import make_rules
from azjax.page.analysis.search_analysis import Analysis, SearchSummary
from azjax.page.evolution import played_game
from azjax.page.evolution.played_game import play_game, start_game

GAME = games.make("tic_tac_toe")


class Tree:
    """Stands for the tree of a search."""


def test_a_game_keeps_its_moves_and_lines_and_no_tree(analyse, monkeypatch):
    trees = []

    async def run(function, *arguments):
        return function(*arguments)

    async def search(player, state, seed):
        summary = analyse(np.flatnonzero(GAME.legal_action_mask(state)).tolist())
        analysis = Analysis(summary.found, Tree())
        trees.append(weakref.ref(analysis.result))
        return analysis

    def summarize(analysis):
        return SearchSummary(analysis.found, (), 0, {analysis.found.action: (8, 7)})

    monkeypatch.setattr(played_game, "summarize", summarize)
    site = SimpleNamespace(
        worker=SimpleNamespace(run_rules=run), searches=SimpleNamespace(search=search)
    )

    async def play():
        start = await start_game(site, make_rules("tic_tac_toe"))
        return [game async for game in play_game(site, start, None, None)]

    game = asyncio.run(play())[-1]
    gc.collect()
    assert len(trees) == len(game.actions) == 7
    assert [tree() for tree in trees] == [None] * 7
    assert game.values()[:2] == [0.25, -0.25]
    lines = [summary.lines for summary in game.analyses]
    assert lines == [{action: (8, 7)} for action in game.actions]
