"""The networks of a run, their ratings and their games."""

import json

import numpy as np
import pytest

from azjax import games
from azjax.page.evolution.networks import opening_shares
from azjax.page.evolution.ratings import RatedNetwork, find_elo_curve
from azjax.runs.storage.checkpoints import spread_evenly


def test_networks_are_spread_over_the_run():
    assert spread_evenly([0, 5, 10], 4) == [0, 5, 10]
    assert spread_evenly(range(0, 1001, 10), 4) == [0, 330, 670, 1000]


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
