"""What a visitor does while a game is loaded or a hint is searched."""

import asyncio
from types import SimpleNamespace

import pytest

from azjax.page.analysis.service import SearchService
from azjax.page.play import view
from azjax.page.play.opening import open_visit
from azjax.page.play.thinker import Thinker

from ..simulation import visit, wait_until

SEARCHER = "mcts:simulations=6"


@pytest.fixture(autouse=True)
def nobody_thinks(monkeypatch):
    """Lets no agent move, and compiles no search."""

    async def think(thinker):
        await thinker._on_found()

    monkeypatch.setattr(Thinker, "think", think)


def element(user, marker):
    (found,) = user.find(marker=marker).elements
    return found


def status(user):
    return element(user, "status").text


async def open_game(user, query):
    await user.open(f"/?game=tic_tac_toe&{query}")
    await wait_until(lambda: status(user))


def slow_for(opponent, goes_on, waiting):
    """Returns an `open_visit` that waits where this one plays O."""

    async def open_slowly(site, link, *arguments):
        opened = await open_visit(site, link, *arguments)
        if link.second == opponent:
            waiting.set()
            await goes_on.wait()
        return opened

    return open_slowly


def test_a_game_that_is_loaded_late_does_not_replace_a_newer_choice(tmp_path, monkeypatch):
    async def choose(user):
        goes_on, waiting = asyncio.Event(), asyncio.Event()
        monkeypatch.setattr(view, "open_visit", slow_for("tactical", goes_on, waiting))
        await open_game(user, "o=random&moves=a1")
        assert status(user) == "random moves, as O."
        element(user, "O").set_value("tactical")
        await waiting.wait()
        element(user, "O").set_value("you")
        await wait_until(lambda: status(user) == "Your move, as O.")
        goes_on.set()
        await asyncio.sleep(0.3)
        assert status(user) == "Your move, as O."
        assert element(user, "O").value == "you"

    visit(view.add_pages, tmp_path, choose)


@pytest.mark.parametrize("plays_on", [False, True])
def test_a_hint_is_told_for_the_position_that_it_was_asked_for(tmp_path, monkeypatch, plays_on):
    async def ask(user):
        goes_on, waiting = asyncio.Event(), asyncio.Event()

        async def search(service, player, state, seed=0):
            waiting.set()
            await goes_on.wait()
            return SimpleNamespace(found=SimpleNamespace(action=4))

        monkeypatch.setattr(SearchService, "search", search)
        await open_game(user, f"o={SEARCHER}")
        user.find("Hint").click()
        await waiting.wait()
        if plays_on:
            user.find(marker="board").trigger("click", {"move": "4"})
            await wait_until(lambda: status(user) == f"{SEARCHER} moves, as O.")
        goes_on.set()
        await asyncio.sleep(0.3)
        assert element(user, "note").text == ("" if plays_on else "mcts would play b2.")

    visit(view.add_pages, tmp_path, ask)
