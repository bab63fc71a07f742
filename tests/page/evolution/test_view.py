from types import SimpleNamespace

import numpy as np
import pytest

from azjax import games
from azjax.page.analysis.players import PlayerCache
from azjax.page.analysis.service import SearchService
from azjax.page.evolution import games as games_of_networks
from azjax.page.evolution import view

from ..made_runs import add_checkpoint, add_network, make_run
from ..simulation import element, see, wait_until

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


def opening_iterations(user):
    series = element(user, "opening_value").options["series"]
    return [x for x, _ in series[0]["data"]] if series else []


async def open_run(user):
    await user.open("/evolution?run=my+run")
    await see(user, "Evolution of my run", "azjax tournament")
    await wait_until(lambda: opening_iterations(user) == [0, 5, 10], 300.0)
    assert element(user, "policy").options["series"][-1]["name"] == "others"


async def test_the_networks_of_a_run_search_the_start_and_play(user, monkeypatch, analyse):
    """Every network plays the first legal move, without a program."""

    async def get(cache, name, game=None, simulations=None, algorithm=None):
        return SimpleNamespace(name=name)

    async def search(service, player, state, seed=0):
        return analyse(np.flatnonzero(GAME.legal_action_mask(state)).tolist())

    monkeypatch.setattr(PlayerCache, "get", get)
    monkeypatch.setattr(games_of_networks, "_SECONDS_BETWEEN_MOVES", 0.0)
    monkeypatch.setattr(games_of_networks, "_SECONDS_BETWEEN_GAMES", 0.1)
    monkeypatch.setattr(SearchService, "search", search)
    opened = []
    await open_run(user)
    monkeypatch.setattr(view.ui.navigate, "to", opened.append)
    await see(user, "iteration 10")
    element(user, "networks").set_value(1)
    await see(user, "iteration 5")
    user.find("Against the final network").click()
    element(user, "seat").set_value(1)
    user.find("Against the final network").click()
    user.find("Against itself").click()
    five, ten = "runs%2Fmy+run%405", "runs%2Fmy+run%4010"
    expected = [f"/?x={five}&o={ten}", f"/?x={ten}&o={five}", f"/?x={five}&o={five}"]
    await wait_until(lambda: opened == expected)
    user.find("Run through the networks").click()
    await see(user, "Iteration 0: a1 b1 c1 a2 b2 c2 a3, X wins", "Stop")
    await see(user, "Iteration 10: a1 b1 c1 a2 b2 c2 a3, X wins", "Run through the networks")


@pytest.mark.slow
async def test_real_networks_search_the_start_too(user):
    await open_run(user)
