"""What a visitor sets, and does while a game is loaded or searched."""

import asyncio
from types import SimpleNamespace

import pytest
from nicegui import ui

from azjax.page.analysis.service import SearchService
from azjax.page.play import session
from azjax.page.play.game import load_game

from ..simulation import element, see, text_of, wait_until

SEARCHER = "mcts:simulations=8"
X_WINS = "a1+a2+b1+b2+c1"


@pytest.fixture
def nobody_thinks(monkeypatch):
    """Lets no agent move, and compiles no search."""

    async def think(site, opened, on_found):
        await on_found()

    monkeypatch.setattr(session, "think", think)


pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("nobody_thinks")]


async def status(user, expected):
    """Waits until the status is as expected."""
    await wait_until(lambda: text_of(user, "status") == expected)


async def open_game(user, query):
    """Opens a game of tic-tac-toe by its address."""
    await user.open(f"/?game=tic_tac_toe&{query}")
    await wait_until(lambda: text_of(user, "status"))


def click(user, **target):
    user.find(marker="board").trigger("click", target)


async def test_a_click_on_no_move_is_ignored(user):
    await open_game(user, "o=random&moves=a1+b2")
    for digits in ("5" * 5000, "-1"):
        click(user, move=digits)
        click(user, cube=digits)
    click(user, illegal="b2")
    await wait_until(lambda: "b2" in text_of(user, "note"))
    assert len(element(user, "wins").options["xAxis"]["data"]) == 3


@pytest.mark.parametrize(
    ("query", "told", "side"),
    [
        ("o=nonsense&game=hex_5", "no player 'nonsense'", "Blue"),
        ("game=tic_tac_toe&position=%3Cscript%3E", "is not 3 rows of 3", "X"),
        ("agent=runs/..", "no name below", "Red"),
    ],
)
async def test_a_wrong_address_is_told_in_one_line_and_a_game_opened(user, query, told, side):
    await user.open(f"/?{query}")
    await see(user, told)
    await status(user, f"Your move, as {side}.")


async def test_other_players_begin_a_new_game_where_the_former_is_over(user):
    await open_game(user, f"o=random&moves={X_WINS}")
    assert text_of(user, "status") == "X wins (you)."
    user.find(marker="Switch seats").click()
    await status(user, "X to move: random play.")
    await open_game(user, f"o=random&moves={X_WINS}")
    element(user, "X").set_value("tactical")
    await status(user, "X to move: tactical play.")


@pytest.fixture
def slow_tactical(monkeypatch):
    """Returns two events: a game against `tactical` is being loaded, and goes on."""
    waiting, goes_on = asyncio.Event(), asyncio.Event()

    async def open_slowly(site, link, *arguments):
        opened = await load_game(site, link, *arguments)
        if link.second == "tactical":
            waiting.set()
            await goes_on.wait()
        return opened

    monkeypatch.setattr(session, "load_game", open_slowly)
    return waiting, goes_on


async def test_a_game_that_is_loaded_late_does_not_replace_a_newer_choice(user, slow_tactical):
    waiting, goes_on = slow_tactical
    await open_game(user, "o=random&moves=a1")
    element(user, "O").set_value("tactical")
    await waiting.wait()
    element(user, "O").set_value("you")
    await status(user, "Your move, as O.")
    goes_on.set()
    await asyncio.sleep(0.3)
    assert text_of(user, "status") == "Your move, as O."
    assert element(user, "O").value == "you"


async def test_what_is_typed_stays_until_it_is_taken(user):
    await open_game(user, "o=random&moves=a1+b2")
    simulations = next(iter(user.find(kind=ui.input, content="simulations").elements))
    position = element(user, "position")
    assert (simulations.value, position.value) == ("", "X../.O./... X")
    simulations.set_value("12")
    position.set_value("X.X/")
    click(user, move="8")
    await status(user, "O to move: random play.")
    assert (simulations.value, position.value) == ("12", "X.X/")
    position.set_value("...")
    user.find(marker="position").trigger("keydown.enter")
    await wait_until(lambda: position.value == "X../.O./..X O")
    position.set_value(" .../.X./... O ")
    user.find(marker="position").trigger("keydown.enter")
    await wait_until(lambda: position.value == ".../.X./... O")
    assert simulations.value == "12"


async def test_a_line_that_was_left_is_kept_and_gone_back_to(user):
    await open_game(user, "o=you&moves=a1+b2")
    assert element(user, "branches").content == ""
    user.find("Undo").click()
    await status(user, "Your move, as O.")
    click(user, move="8")
    await status(user, "Your move, as X.")
    click(user, move="7")
    await wait_until(lambda: element(user, "branches").content.count("data-line") == 5)
    user.find(marker="branches").trigger("click", [1, 2])
    await wait_until(lambda: element(user, "wins").options["xAxis"]["data"][-1] == "2. b2")
    assert 'data-line="1" data-ply="2"' in element(user, "branches").content
    assert 'aria-label="2. c3" style="grid-area:2/3;--up:1"' in element(user, "branches").content


async def test_a_hint_is_told(user, monkeypatch):
    async def search(service, player, state, seed=0):
        return SimpleNamespace(found=SimpleNamespace(action=4))

    monkeypatch.setattr(SearchService, "search", search)
    await open_game(user, f"o={SEARCHER}")
    user.find("Hint").click()
    await wait_until(lambda: text_of(user, "note") == "UCT would play b2.")
