"""What a visitor sets, and does while a game is loaded or searched."""

import asyncio
from types import SimpleNamespace

import pytest
from nicegui import ui

from azjax.page.analysis.service import SearchService
from azjax.page.play import view
from azjax.page.play.game_line import read_game
from azjax.page.play.game_loading import load_game
from azjax.page.play.link import PlayLink
from azjax.page.play.open_game import OpenGame, Switches
from azjax.page.play.thinker import Thinker

from ..simulation import element, visit, wait_until


def status(user):
    """Returns what is said about the game."""
    return element(user, "status").text


async def open_game(user, query, game="tic_tac_toe"):
    """Opens a game by its address."""
    await user.open(f"/?game={game}&{query}")
    await wait_until(lambda: status(user))


@pytest.fixture
def nobody_thinks(monkeypatch):
    """Lets no agent move, and compiles no search."""

    async def think(thinker):
        await thinker._on_found()

    monkeypatch.setattr(Thinker, "think", think)


pytestmark = pytest.mark.usefixtures("nobody_thinks")

X_WINS = "a1+a2+b1+b2+c1"


def test_other_players_begin_a_new_game_where_the_former_is_over(tmp_path):
    async def change(user):
        await open_game(user, f"o=random&moves={X_WINS}")
        assert status(user) == "X wins (you)."
        user.find("Switch seats").click()
        await wait_until(lambda: status(user) == "random moves, as X.")
        await open_game(user, f"o=random&moves={X_WINS}")
        element(user, "X").set_value("tactical")
        await wait_until(lambda: status(user) == "tactical moves, as X.")

    visit(view.add_pages, tmp_path, change)


def test_other_players_go_on_with_a_game_that_is_not_over(tmp_path):
    async def change(user):
        await open_game(user, "o=random&moves=a1")
        user.find("Switch seats").click()
        await wait_until(lambda: status(user) == "Your move, as O.")
        element(user, "O").set_value("tactical")
        await wait_until(lambda: status(user) == "tactical moves, as O.")

    visit(view.add_pages, tmp_path, change)


pytestmark = pytest.mark.usefixtures("nobody_thinks")

SEARCHER = "mcts:simulations=6"


def slow_for(opponent, goes_on, waiting):
    """Returns a `load_game` that waits where this one plays O."""

    async def open_slowly(site, link, *arguments):
        opened = await load_game(site, link, *arguments)
        if link.second == opponent:
            waiting.set()
            await goes_on.wait()
        return opened

    return open_slowly


def test_a_game_that_is_loaded_late_does_not_replace_a_newer_choice(tmp_path, monkeypatch):
    async def choose(user):
        goes_on, waiting = asyncio.Event(), asyncio.Event()
        monkeypatch.setattr(view, "load_game", slow_for("tactical", goes_on, waiting))
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


def test_no_move_is_played_in_a_game_that_is_about_to_be_replaced(tmp_path, monkeypatch):
    async def choose(user):
        goes_on, waiting = asyncio.Event(), asyncio.Event()
        monkeypatch.setattr(view, "load_game", slow_for("tactical", goes_on, waiting))
        await open_game(user, "o=random&moves=a1+b2")
        element(user, "O").set_value("tactical")
        await waiting.wait()
        user.find(marker="board").trigger("click", {"move": "8"})
        await wait_until(lambda: "are being loaded" in element(user, "note").text)
        element(user, "note").set_text("")
        user.find("Undo").click()
        await wait_until(lambda: "are being loaded" in element(user, "note").text)
        goes_on.set()
        await wait_until(lambda: not element(user, "note").text)
        user.find(marker="board").trigger("click", {"move": "8"})
        await wait_until(lambda: status(user) == "tactical moves, as O.")

    visit(view.add_pages, tmp_path, choose)


def test_what_is_typed_stays_until_it_is_taken(tmp_path):
    async def write(user):
        await open_game(user, "o=random&moves=a1+b2")
        simulations = next(iter(user.find(kind=ui.input, content="simulations").elements))
        position = element(user, "position")
        assert (simulations.value, position.value) == ("", "X../.O./... X")
        simulations.set_value("12")
        position.set_value("X.X/")
        user.find(marker="board").trigger("click", {"move": "8"})
        await wait_until(lambda: status(user) == "random moves, as O.")
        assert (simulations.value, position.value) == ("12", "X.X/")
        position.set_value("...")
        user.find(marker="position").trigger("keydown.enter")
        await wait_until(lambda: position.value == "X../.O./..X O")
        position.set_value(" .../.X./... O ")
        user.find(marker="position").trigger("keydown.enter")
        await wait_until(lambda: position.value == ".../.X./... O")
        assert simulations.value == "12"

    visit(view.add_pages, tmp_path, write)


def test_a_node_that_is_opened_late_does_not_replace_a_newer_position(rules):
    line = read_game(rules, "", ())
    opened = OpenGame(PlayLink(), line, (None, None), Switches(), False, 0, line.last)

    async def play_meanwhile(function, *arguments):
        opened.continue_with(line.play(8))
        return function(*arguments)

    worker = SimpleNamespace(run_rules=play_meanwhile)
    visitor = SimpleNamespace(_opened=opened, _site=SimpleNamespace(worker=worker), _show=None)
    asyncio.run(view.PlayView._open_node(visitor, (4,)))
    assert (opened.variation, opened.shown) == ((), opened.line.last)


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
