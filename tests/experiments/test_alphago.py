"""AlphaGo's pipeline as a whole: games, three stages, and their ratings; and its bad input."""

import json
import re

import pytest
from script_loading import load


@pytest.fixture(scope="module")
def alphago():
    return load("alphago")


@pytest.fixture(autouse=True)
def keep_settings(alphago, monkeypatch):
    """Keeps the JAX settings of the test session."""
    monkeypatch.setattr(alphago, "prepare_jax", lambda: None)


def test_games_that_took_all_minutes_are_kept_for_more_minutes(alphago, tmp_path):
    def options(minutes):
        return alphago.Options(
            game="tic_tac_toe", teacher="tactical", games=2, minutes=minutes, out=tmp_path
        )

    path, minutes = alphago.record_games(options(1e-6))
    assert minutes > 1e-6
    games = path.read_bytes()
    assert alphago.record_games(options(5.0)) == (path, minutes)
    assert path.read_bytes() == games
    assert json.loads((tmp_path / "games.json").read_text())["minutes"] == 5.0


@pytest.mark.slow
def test_the_pipeline_rates_its_stages_and_goes_on_where_it_stopped(
    alphago, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(alphago, "NUM_GAMES", 32)
    sizes = {"network.channels": 16, "network.blocks": 1}
    monkeypatch.setattr(alphago, "COMMON", alphago.COMMON | sizes)
    arguments = ["--game", "tic_tac_toe", "--teacher", "tactical", "--games", "20"]
    arguments += ["--simulations", "4", "--rating-games", "4", "--out", "out"]
    arguments += ["--minutes", "0.2"]
    alphago.main(arguments)
    assert re.search(r"the ratings took \d+\.\d minutes more", capsys.readouterr().out)
    out = tmp_path / "out"
    assert len((out / "games.txt").read_text().splitlines()) == 20
    about = json.loads((out / "games.json").read_text())
    assert 0 < about["minutes_of_games"] < 0.2
    seconds = 0.0
    for stage in alphago.STAGES:
        last = json.loads((out / stage / "metrics.jsonl").read_text().splitlines()[-1])
        seconds += last["seconds"]
    assert seconds >= 60 * (0.2 - about["minutes_of_games"]) - 0.1
    ratings = (out / "tournament_4_simulations_4_games" / "tournament.json").read_text()
    for name in (*alphago.STAGES, "rollouts=0.5", "tactical"):
        assert name in ratings
    before = sorted(path for path in out.rglob("*") if "checkpoints" in path.parts)
    alphago.main(arguments)  # nothing is left to train
    assert sorted(path for path in out.rglob("*") if "checkpoints" in path.parts) == before
