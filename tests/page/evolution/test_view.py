import asyncio
from types import SimpleNamespace

import numpy as np
import pytest
from nicegui import ui

from azjax import games
from azjax.page.analysis.player_cache import PlayerCache
from azjax.page.analysis.service import SearchService
from azjax.page.evolution.view import add_pages

from ..made_runs import add_checkpoint, add_network, make_run
from ..simulation import visit, wait_until

GAME = games.make("tic_tac_toe")


@pytest.fixture
def runs(tmp_path):
    folder = tmp_path / "runs"
    run = make_run(folder / "my run")
    for iteration in (0, 5, 10):
        add_network(run, iteration)
    add_checkpoint(run.path)
    return folder


@pytest.fixture
def quick_searches(monkeypatch, analyse):
    """Lets every network play the first legal move, without a program."""

    async def get(cache, name, game=None, simulations=None, algorithm=None):
        return SimpleNamespace(name=name)

    async def search(service, player, state, seed=0):
        return analyse(np.flatnonzero(GAME.legal_action_mask(state)).tolist())

    monkeypatch.setattr(PlayerCache, "get", get)
    monkeypatch.setattr(SearchService, "search", search)


def element(user, marker):
    (found,) = user.find(marker=marker).elements
    return found


def press(user, key, **held):
    """Presses a key while others are held."""
    modifiers = dict.fromkeys(("altKey", "ctrlKey", "metaKey", "shiftKey"), False) | held
    event = {"action": "keydown", "repeat": False, "key": key, "code": key, "location": 0}
    user.find(kind=ui.keyboard).trigger("key", event | modifiers)


def opening_iterations(user):
    series = element(user, "opening_value").options["series"]
    return [x for x, _ in series[0]["data"]] if series else []


async def look_at_a_game(user):
    await user.open("/evolution?run=my+run")
    await user.should_see("Evolution of my run")
    await user.should_see("azjax tournament", retries=400)
    await wait_until(lambda: opening_iterations(user) == [0, 5, 10], 300.0)
    assert element(user, "policy").options["series"][-1]["name"] == "others"
    await user.should_see("X: iteration 10, O: iteration 10.", retries=400)
    element(user, "networks").set_value(1)
    await user.should_see("iteration 5")
    element(user, "seat").set_value(1)
    user.find("Against the final network").click()
    await user.should_see("X: iteration 10, O: iteration 5.", retries=400)
    await wait_until(lambda: "in play" not in element(user, "game").text, 100.0)


@pytest.mark.usefixtures("quick_searches")
def test_the_games_of_a_network_are_shown_step_by_step(runs):
    async def script(user):
        await look_at_a_game(user)
        assert "X wins after 7 moves" in element(user, "game").text
        assert element(user, "plies").value == 7
        assert element(user, "moves").content == ""
        element(user, "plies").set_value(2)
        await user.should_see("after 2 of 7 moves, X to move, chance that X wins 62.5%")
        await wait_until(lambda: element(user, "moves").content)
        assert element(user, "moves").content.count("<tr data-for=") == 7
        assert element(user, "wins").options["series"][0]["data"][-1] == 100.0
        press(user, "ArrowLeft", altKey=True)  # the browser goes back
        await asyncio.sleep(0.1)
        assert element(user, "plies").value == 2
        press(user, "ArrowLeft")
        await wait_until(lambda: element(user, "plies").value == 1)

    visit(add_pages, runs, script)


@pytest.mark.slow
def test_real_networks_play_too(runs):
    async def script(user):
        await look_at_a_game(user)
        assert element(user, "plies").value >= 5

    visit(add_pages, runs, script)


def test_without_a_run_there_is_a_choice(runs):
    async def script(user):
        await user.open("/evolution")
        await user.should_see("my run (tic_tac_toe)", retries=400)
        await user.should_not_see("damaged")

    damaged = make_run(runs / "damaged")
    add_checkpoint(damaged.path)
    (damaged.path / "run.json").write_text("{")
    visit(add_pages, runs, script)


def test_runs_without_a_network_are_no_choice(tmp_path):
    async def script(user):
        await user.open("/evolution")
        await user.should_see("has a network yet", retries=400)
        await user.should_not_see("Choose a run:")

    make_run(tmp_path / "new")
    visit(add_pages, tmp_path, script)


def test_a_run_that_is_not_there_is_told(runs):
    async def script(user):
        await user.open("/evolution?run=../secret")
        await user.should_see("is no name below the folder of runs", retries=400)

    visit(add_pages, runs, script)
