import json
import os
import shlex

import pytest

from azjax.page.evolution.ratings import RatedNetwork, find_elo_curve, tournament_command


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


@pytest.mark.parametrize("place", ["runs/ttt", "runs/ttt/t", "runs/t", "tournament"])
def test_a_tournament_in_or_beside_the_run_is_its_elo_curve(runs, run, place):
    write(runs.parent / place, OWN)
    curve = find_elo_curve(runs, run)
    assert curve.rated == (RatedNetwork(0, 10.0, 1.0, 19.0), RatedNetwork(10, 90.0, 81.0, 99.0))
    assert "200 games a match, 32 simulations a move" in curve.text


def test_the_newest_of_several_is_shown(runs, run):
    old = write(run / "a", OWN, games=2)
    os.utime(old, (1.0, 1.0))
    write(run / "b", OWN, games=100)
    assert "100 games" in find_elo_curve(runs, run).text


@pytest.mark.parametrize(
    "names", [["{run}@0", "{run}@10"], ["../runs/ttt@0", "./runs/ttt@10"], ["ttt@0", "ttt@10"]]
)
def test_networks_are_known_by_the_end_of_their_path(runs, run, names):
    write(run / "t", [player(name.format(run=run), 1.0) for name in names])
    assert len(find_elo_curve(runs, run).rated) == 2


def test_a_tournament_that_has_not_ended_has_no_ratings_yet(runs, run):
    write(run / "t", [player("runs/ttt@0"), player("runs/ttt@10")])
    curve = find_elo_curve(runs, run)
    assert curve.rated == ()
    assert "not ended" in curve.text


@pytest.mark.parametrize(
    "players",
    [
        [],
        [player("runs/other@0", 1.0), player("runs/other@10", 1.0)],
        [player("runs/ttt@0", 1.0), player("random", 1.0)],
        [player("@0", 1.0), player("@10", 1.0)],
    ],
)
def test_a_tournament_of_others_is_left_out(runs, run, players):
    write(runs / "t", players)
    assert find_elo_curve(runs, run) is None


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"players": [{"name": "runs/ttt@0"}, 3]}'])
def test_a_damaged_record_is_left_out(runs, run, text):
    (run / "tournament.json").write_text(text)
    assert find_elo_curve(runs, run) is None


def test_the_command_plays_the_tournament_where_it_is_found(runs, run):
    words = shlex.split(tournament_command(run))
    assert words == ["azjax", "tournament", f"{run}", "--checkpoints", "--out", f"{run}/tournament"]
