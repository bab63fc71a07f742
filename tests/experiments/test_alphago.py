"""AlphaGo's pipeline as a whole: games, three stages, and their ratings; and its bad input."""

import json
import re

import pytest
from script_loading import load

from azjax.config.overrides import override
from azjax.config.presets import get_preset
from azjax.games import make
from azjax.runs.recorded_games import write_games


@pytest.fixture(scope="module")
def alphago():
    return load("alphago")


@pytest.fixture(autouse=True)
def keep_settings(alphago, monkeypatch):
    """Keeps the JAX settings of the test session."""
    monkeypatch.setattr(alphago, "prepare_jax", lambda: None)


@pytest.fixture
def fails(alphago, capsys):
    """Returns `fails(arguments)`: the line that a command ends in, with exit code 2."""

    def call(*arguments):
        with pytest.raises(SystemExit) as ended:
            alphago.main(list(arguments))
        assert ended.value.code == 2
        line = capsys.readouterr().err
        assert len(line.splitlines()) == 1
        return line

    return call


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--rating-games", "3"), "rating_games=3: must be even"),
        (("--games", "5"), "games=5: must be even"),
        (("--simulations", "0"), "simulations=0: must be at least 1"),
        (("--minutes", "0"), "minutes=0.0: must be above 0"),
        (("--seed", "-1"), "seed=-1: must be from 0"),
        (("--game", "conect_four"), "did you mean 'connect_four'?"),
        (("--teacher", "nobody"), "no player 'nobody'"),
    ],
)
def test_bad_options_are_refused_before_anything_is_played(fails, tmp_path, arguments, message):
    assert message in fails("--out", str(tmp_path / "out"), *arguments)
    assert not (tmp_path / "out").exists()


def test_results_of_other_options_are_not_continued(fails, tmp_path):
    about = {"game": "tic_tac_toe", "teacher": "minimax", "games": 20, "minutes": 1.0, "seed": 0}
    about |= {"minutes_of_games": 0.1}
    (tmp_path / "games.json").write_text(json.dumps(about))
    (tmp_path / "games.txt").write_text("1 2 3\n")
    same = "--game", "tic_tac_toe", "--teacher", "minimax", "--games", "20"
    line = fails(*same, "--seed", "1", "--out", str(tmp_path))
    was = "--game tic_tac_toe, --teacher minimax, --games 20, --minutes 1.0, --seed 0"
    assert f"has results of {was}: choose another folder" in line
    assert (tmp_path / "games.txt").read_text() == "1 2 3\n"


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


def test_a_damaged_record_of_the_games_is_told(fails, tmp_path):
    (tmp_path / "games.json").write_text("[]\n")
    line = fails("--game", "tic_tac_toe", "--out", str(tmp_path))
    assert f"{tmp_path / 'games.json'} cannot be read" in line


def test_all_stages_of_connect_four_have_a_small_network(alphago, tmp_path):
    game, path = make("connect_four"), tmp_path / "games.txt"
    write_games(game, path, [[3, 3, 2]])
    designs = alphago.supervised_policy(path, game), alphago.reinforced_policy()
    preset = get_preset("connect_four").config
    for design in (*designs, alphago.policy_value()):
        network = override(preset, design).train.network
        assert (network.channels, network.blocks) == (32, 3)


@pytest.mark.slow
def test_the_pipeline_rates_its_stages_and_goes_on_where_it_stopped(
    alphago, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    arguments = ["--game", "tic_tac_toe", "--teacher", "mcts:simulations=20", "--games", "20"]
    arguments += ["--simulations", "4", "--rating-games", "4", "--out", "out"]
    arguments += ["--minutes", "0.4"]
    alphago.main(arguments)
    assert re.search(r"the ratings took \d+\.\d minutes more", capsys.readouterr().out)
    out = tmp_path / "out"
    assert len((out / "games.txt").read_text().splitlines()) == 20
    about = json.loads((out / "games.json").read_text())
    assert 0 < about["minutes_of_games"] < 0.4
    seconds = 0.0
    for stage in alphago.STAGES:
        last = json.loads((out / stage / "metrics.jsonl").read_text().splitlines()[-1])
        seconds += last["seconds"]
    assert seconds >= 60 * (0.4 - about["minutes_of_games"]) - 0.1
    ratings = (out / "tournament_4_simulations_4_games" / "tournament.json").read_text()
    for name in (*alphago.STAGES, "rollouts=0.5", "mcts:simulations=20"):
        assert name in ratings
    before = sorted(path for path in out.rglob("*") if "checkpoints" in path.parts)
    alphago.main(arguments)  # nothing is left to train
    assert sorted(path for path in out.rglob("*") if "checkpoints" in path.parts) == before
