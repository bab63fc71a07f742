import asyncio
from types import SimpleNamespace

import numpy as np
import pytest

from azjax import games
from azjax.page.analysis.player_cache import PlayerCache
from azjax.page.analysis.service import SearchService
from azjax.page.evolution import opening_panel, played_game
from azjax.page.evolution.view import add_pages

from ..made_runs import add_checkpoint, add_network, make_run
from ..simulation import element, press, visit, wait_until

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
    for module in (played_game, opening_panel):
        monkeypatch.setattr(module, "summarize", lambda summary: summary)


def release_slider(user, number):
    """Releases the slider of networks; its last step, which the browser delays, is to come."""
    user.find(marker="networks").trigger("change", number)


def opening_iterations(user):
    series = element(user, "opening_value").options["series"]
    return [x for x, _ in series[0]["data"]] if series else []


async def look_at_a_game(user):
    await user.open("/evolution?run=my+run")
    await user.should_see("Evolution of my run", retries=200)
    await user.should_see("azjax tournament", retries=400)
    await wait_until(lambda: opening_iterations(user) == [0, 5, 10], 300.0)
    assert element(user, "policy").options["series"][-1]["name"] == "others"
    await user.should_see("Iteration 10 as X, iteration 10 as O", retries=400)
    element(user, "networks").set_value(1)
    await user.should_see("iteration 5", retries=200)
    element(user, "seat").set_value(1)
    user.find("Against the final network").click()
    await user.should_see("Iteration 10 as X, iteration 5 as O", retries=400)
    await wait_until(lambda: "searched" not in element(user, "game").text, 100.0)


@pytest.mark.usefixtures("quick_searches")
def test_the_games_of_a_network_are_shown_step_by_step(runs):
    async def script(user):
        await look_at_a_game(user)
        title = "Iteration 10 as X, iteration 5 as O: X wins after 7 moves"
        assert element(user, "game").text == title
        assert element(user, "plies").value == 7
        assert element(user, "moves").content == ""
        element(user, "plies").set_value(2)
        await user.should_see(
            "after 2 of 7 moves, X to move, chance that X wins 62.5%", retries=200
        )
        await wait_until(lambda: element(user, "moves").content)
        assert element(user, "moves").content.count("<tr data-for=") == 7
        assert element(user, "wins").options["series"][0]["data"][-1] == 100.0
        press(user, "ArrowLeft", altKey=True)  # the browser goes back
        await asyncio.sleep(0.1)
        assert element(user, "plies").value == 2
        press(user, "ArrowLeft")
        await wait_until(lambda: element(user, "plies").value == 1)

    visit(add_pages, runs, script)


@pytest.mark.usefixtures("quick_searches")
def test_another_network_or_seat_plays_in_the_way_that_was_chosen_last(runs):
    async def script(user):
        await user.open("/evolution?run=my+run")
        await user.should_see("Iteration 10 as X, iteration 10 as O: X wins", retries=400)
        element(user, "networks").set_value(0)  # a step of the slider, which is still held
        await asyncio.sleep(0.1)
        assert "Iteration 10 as X, iteration 10 as O: X wins" in element(user, "game").text
        release_slider(user, 1)
        await user.should_see("Iteration 5 as X, iteration 5 as O: X wins", retries=400)
        assert element(user, "networks").value == 1
        user.find("Against the final network").click()
        await user.should_see("Iteration 5 as X, iteration 10 as O: X wins", retries=400)
        release_slider(user, 0)
        await user.should_see("Iteration 0 as X, iteration 10 as O: X wins", retries=400)
        element(user, "seat").set_value(1)
        await user.should_see("Iteration 10 as X, iteration 0 as O: X wins", retries=400)

    visit(add_pages, runs, script)


@pytest.mark.usefixtures("quick_searches")
def test_a_game_tells_that_it_is_computed_and_gives_way_to_a_newer_choice(runs, monkeypatch):
    answers, waiting = {}, set()

    async def search(service, player, state, seed=0):
        if player.name in answers:
            waiting.add(player.name)
            await answers[player.name].wait()
        return await quick_search(service, player, state, seed)

    quick_search = SearchService.search
    monkeypatch.setattr(SearchService, "search", search)

    async def script(user):
        await user.open("/evolution?run=my+run")
        await user.should_see("Iteration 10 as X, iteration 10 as O: X wins", retries=400)
        await wait_until(lambda: opening_iterations(user) == [0, 5, 10])
        slow = answers["runs/my run@5"] = asyncio.Event()
        release_slider(user, 1)
        await wait_until(lambda: waiting)
        title = "Iteration 5 as X, iteration 5 as O: move 1 is being searched"
        assert element(user, "game").text == title
        assert element(user, "plies").value == 0
        release_slider(user, 0)
        await user.should_see("Iteration 0 as X, iteration 0 as O: X wins", retries=400)
        slow.set()
        await asyncio.sleep(0.1)
        assert "Iteration 0 as X" in element(user, "game").text

    visit(add_pages, runs, script)


@pytest.mark.slow
def test_real_networks_play_too(runs):
    async def script(user):
        await look_at_a_game(user)
        assert element(user, "plies").value >= 5

    visit(add_pages, runs, script)
