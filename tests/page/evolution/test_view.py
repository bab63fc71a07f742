import asyncio
from types import SimpleNamespace

import numpy as np
import pytest

from azjax import games
from azjax.page.analysis.players import PlayerCache
from azjax.page.analysis.service import SearchService
from azjax.page.evolution import networks, view

from ..made_runs import add_checkpoint, add_network, make_run
from ..simulation import element, press, see, text_of, wait_until

pytestmark = pytest.mark.anyio

GAME = games.make("tic_tac_toe")


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
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
    for module in (networks, view):
        monkeypatch.setattr(module, "summarize", lambda summary: summary)


def release_slider(user, number):
    """Releases the slider of networks; its last step, which the browser delays, is to come."""
    user.find(marker="networks").trigger("change", number)


def opening_iterations(user):
    series = element(user, "opening_value").options["series"]
    return [x for x, _ in series[0]["data"]] if series else []


async def look_at_a_game(user):
    await user.open("/evolution?run=my+run")
    await see(user, "Evolution of my run", "azjax tournament")
    await wait_until(lambda: opening_iterations(user) == [0, 5, 10], 300.0)
    assert element(user, "policy").options["series"][-1]["name"] == "others"
    await see(user, "Iteration 10 as X, iteration 10 as O")
    element(user, "networks").set_value(1)
    await see(user, "iteration 5")
    element(user, "seat").set_value(1)
    user.find("Against the final network").click()
    await see(user, "Iteration 10 as X, iteration 5 as O")
    await wait_until(lambda: "searched" not in text_of(user, "game"), 100.0)


@pytest.mark.usefixtures("quick_searches")
async def test_the_games_of_a_network_are_shown_step_by_step(user):
    await look_at_a_game(user)
    title = "Iteration 10 as X, iteration 5 as O: X wins after 7 moves"
    assert text_of(user, "game") == title
    assert element(user, "plies").value == 7
    element(user, "plies").set_value(2)
    await see(user, "after 2 of 7 moves, X to move, chance that X wins 62.5%")
    await user.should_see(marker="moves", retries=400)
    assert len(element(user, "moves").rows) == 7
    values = element(user, "wins").options["series"][0]["data"]
    assert (values[:2], values[-1]) == ([62.5, 37.5], 100.0)
    press(user, "ArrowLeft", altKey=True)  # the browser goes back
    await asyncio.sleep(0.1)
    assert element(user, "plies").value == 2
    press(user, "ArrowLeft")
    await wait_until(lambda: element(user, "plies").value == 1)


@pytest.mark.usefixtures("quick_searches")
async def test_another_network_or_seat_plays_in_the_way_that_was_chosen_last(user):
    await user.open("/evolution?run=my+run")
    await see(user, "Iteration 10 as X, iteration 10 as O: X wins")
    element(user, "networks").set_value(0)  # a step of the slider, which is still held
    await asyncio.sleep(0.1)
    assert "Iteration 10 as X, iteration 10 as O: X wins" in text_of(user, "game")
    release_slider(user, 1)
    await see(user, "Iteration 5 as X, iteration 5 as O: X wins")
    assert element(user, "networks").value == 1
    user.find("Against the final network").click()
    await see(user, "Iteration 5 as X, iteration 10 as O: X wins")
    release_slider(user, 0)
    await see(user, "Iteration 0 as X, iteration 10 as O: X wins")
    element(user, "seat").set_value(1)
    await see(user, "Iteration 10 as X, iteration 0 as O: X wins")


@pytest.mark.usefixtures("quick_searches")
async def test_a_game_tells_that_it_is_computed_and_gives_way_to_a_newer_choice(user, monkeypatch):
    slow, waiting = asyncio.Event(), asyncio.Event()
    quick_search, is_slow = SearchService.search, set()

    async def search(service, player, state, seed=0):
        if player.name in is_slow:
            waiting.set()
            await slow.wait()
        return await quick_search(service, player, state, seed)

    monkeypatch.setattr(SearchService, "search", search)
    await user.open("/evolution?run=my+run")
    await see(user, "Iteration 10 as X, iteration 10 as O: X wins")
    await wait_until(lambda: opening_iterations(user) == [0, 5, 10])
    is_slow.add("runs/my run@5")
    release_slider(user, 1)
    await waiting.wait()
    title = "Iteration 5 as X, iteration 5 as O: move 1 is being searched"
    assert text_of(user, "game") == title
    assert element(user, "plies").value == 0
    release_slider(user, 0)
    await see(user, "Iteration 0 as X, iteration 0 as O: X wins")
    slow.set()
    await asyncio.sleep(0.1)
    assert "Iteration 0 as X" in text_of(user, "game")


@pytest.mark.slow
async def test_real_networks_play_too(user):
    await look_at_a_game(user)
    assert element(user, "plies").value >= 5
