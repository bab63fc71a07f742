"""The networks of a run, their ratings and their games."""

import json
import sys
import types

import numpy as np
import pytest

from azjax import games
from azjax.page.evolution.networks import RunNetworks, opening_shares, read_networks
from azjax.page.evolution.ratings import RatedNetwork, find_elo_curve
from azjax.runs.storage.restore import spread_evenly
from azjax.support.errors import InputError

from ..made_runs import add_network, add_plugin, make_run


@pytest.mark.parametrize(
    ("iterations", "chosen"),
    [
        ([0, 5, 10], [0, 5, 10]),
        (range(0, 1001, 10), [0, 330, 670, 1000]),
        ([0, 1, 2, 3, 1000], [0, 3, 1000]),
    ],
)
def test_networks_are_spread_over_the_run(iterations, chosen):
    assert spread_evenly(iterations, 4) == chosen


def test_the_networks_of_a_run_are_those_of_its_history(tmp_path):
    run = make_run(tmp_path / "pop" / "seed=0")
    for iteration in (0, 5):
        add_network(run, iteration)
    networks = read_networks(tmp_path, "pop/seed=0")
    expected = RunNetworks("pop/seed=0", run.path, "tic_tac_toe", (0, 5))
    assert networks == expected
    assert networks.final == 5
    assert networks.player(0) == "runs/pop/seed=0@0"


def test_a_run_is_opened_with_the_plugins_of_the_page_alone(tmp_path, monkeypatch):
    run = make_run(tmp_path / "one")
    add_network(run, 0)
    add_plugin(run, "own_game")
    with pytest.raises(InputError, match=r"^one needs .* start azjax serve --plugin own_game$"):
        read_networks(tmp_path, "one")
    monkeypatch.setitem(sys.modules, "own_game", types.ModuleType("own_game"))
    assert read_networks(tmp_path, "one").iterations == (0,)


@pytest.fixture
def runs(tmp_path):
    return tmp_path / "project" / "runs"


@pytest.fixture
def run(runs):
    path = runs / "ttt"
    path.mkdir(parents=True)
    return path


def player(name, elo=None):
    rating = {} if elo is None else {"elo": elo, "interval": [elo - 9.0, elo + 9.0], "score": 0.5}
    iteration = int(name.rpartition("@")[2]) if "@" in name else None
    return {"name": name, "iteration": iteration, **rating}


def write(folder, players, games=200):
    folder.mkdir(parents=True, exist_ok=True)
    conditions = {"game": "tic_tac_toe", "games_per_match": games, "simulations": 32}
    file = folder / "tournament.json"
    file.write_text(json.dumps({**conditions, "players": players}))
    return file


OWN = [player("runs/ttt@10", 90.0), player("runs/ttt@0", 10.0), player("random", 0.0)]


@pytest.mark.parametrize("place", ["runs/ttt/t", "tournament"])
def test_a_tournament_in_or_beside_the_run_is_its_elo_curve(runs, run, place):
    write(runs.parent / place, OWN)
    curve = find_elo_curve(runs, run)
    assert curve.rated == (RatedNetwork(0, 10.0, 1.0, 19.0), RatedNetwork(10, 90.0, 81.0, 99.0))
    assert "200 games a match, 32 simulations a move" in curve.text


def test_a_tournament_that_has_not_ended_has_no_ratings_yet(runs, run):
    write(run / "t", [player("runs/ttt@0"), player("runs/ttt@10")])
    curve = find_elo_curve(runs, run)
    assert curve.rated == ()
    assert "not ended" in curve.text


@pytest.mark.parametrize(
    "players",
    [
        [player("runs/other@0", 1.0), player("runs/other@10", 1.0)],
        [player("runs/ttt@0", 1.0), player("random", 1.0)],
        [player("@0", 1.0), player("@10", 1.0)],
    ],
)
def test_a_tournament_of_others_is_left_out(runs, run, players):
    write(runs / "t", players)
    assert find_elo_curve(runs, run) is None


GAME = games.make("tic_tac_toe")


def test_the_five_largest_moves_of_the_start_are_shown_and_the_others_together(analyse):
    openings = [analyse(range(9)).found, analyse([8, 7, 6]).found]
    shares = opening_shares(GAME, openings, "search")
    assert len(shares) == 6
    assert list(shares)[-1] == "others"
    assert sum(np.array(values) for values in shares.values()) == pytest.approx([1.0, 1.0])
    assert shares[GAME.format_action(8)] == pytest.approx([0.0625, 0.5])
