import json

import pytest

from azjax.agents.elo_curve import RatedNetwork, find_elo_curve


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
