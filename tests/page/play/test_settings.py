"""What a visitor sets, and what the view says about it."""

import asyncio

import pytest
from nicegui import ui

from azjax.page.analysis import exact
from azjax.page.play import view
from azjax.page.play.game_loading import load_game

from ..simulation import element, visit, wait_until
from .visitor import open_game, status

pytestmark = pytest.mark.usefixtures("nobody_thinks")

X_WINS = "a1+a2+b1+b2+c1"


def simulations_field(user):
    (field,) = (
        one for one in user.find(kind=ui.input).elements if one.props.get("label") == "simulations"
    )
    return field


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


def test_other_simulations_keep_a_game_that_is_over(tmp_path, monkeypatch):
    async def load_noted(site, link, *arguments):
        links.append(link)
        return await load_game(site, link, *arguments)

    links = []
    monkeypatch.setattr(view, "load_game", load_noted)

    async def change(user):
        await open_game(user, f"o=mcts&moves={X_WINS}")
        simulations_field(user).set_value("12")
        user.find(kind=ui.input, content="simulations").trigger("blur")
        await wait_until(lambda: links[-1].simulations == 12)
        assert links[-1].moves == tuple(X_WINS.split("+"))

    visit(view.add_pages, tmp_path, change)


def test_a_refused_number_of_simulations_gives_way_to_the_one_that_is_used(tmp_path):
    async def write(user):
        await open_game(user, "o=mcts&simulations=20")
        for text in ("0", "", "many"):
            simulations_field(user).set_value(text)
            user.find(kind=ui.input, content="simulations").trigger("blur")
            await wait_until(lambda: simulations_field(user).value == "20")

    visit(view.add_pages, tmp_path, write)


def test_the_simulations_can_be_changed_where_a_player_takes_them(tmp_path):
    async def look(user):
        is_enabled = {}
        for players in (
            "o=mcts",
            "x=mcts:search=puct&o=random",
            "o=mcts:simulations=6",
            "o=you",
            "x=tactical&o=random",
        ):
            await open_game(user, players)
            is_enabled[players] = simulations_field(user).enabled
        assert list(is_enabled.values()) == [True, True, False, False, False]

    visit(view.add_pages, tmp_path, look)


def test_the_missing_solver_of_connect_four_is_named(tmp_path, monkeypatch):
    def refuse(game):
        raise ValueError

    monkeypatch.setattr(exact, "perfect_command", refuse)

    async def look(user):
        await open_game(user, "o=you", game="connect_four")
        user.find("exact values").click()
        await wait_until(lambda: "pip install bitbully" in element(user, "note").text)
        (switch,) = user.find(kind=ui.switch, content="exact values").elements
        assert switch.value is False
        await asyncio.sleep(0.3)  # longer than between two looks at what is switched
        assert "pip install bitbully" in element(user, "note").text
        user.find("exact values").click()
        await wait_until(lambda: switch.value is False)

    visit(view.add_pages, tmp_path, look)


def test_a_game_that_has_just_begun_is_saved_as_sgf(tmp_path):
    pytest.importorskip("sgfmill")

    async def save(user):
        await open_game(user, "o=you", game="hex_5")
        user.find("SGF").click()
        response = await user.download.next()
        assert "GM[11]" in response.text

    visit(view.add_pages, tmp_path, save)


def test_a_game_without_sgf_has_no_button_for_it(tmp_path):
    async def look(user):
        await open_game(user, "o=you", game="tic_tac_toe")
        await user.should_not_see("SGF")

    visit(view.add_pages, tmp_path, look)


def test_you_against_you_is_the_usual_game_unless_another_is_named(tmp_path):
    async def look(user):
        await open_game(user, "x=you&o=you", game="")
        shown = [element(user, marker).value for marker in ("game", "X", "O")]
        assert shown == ["connect_four", "you", "you"]

    visit(view.add_pages, tmp_path, look)
