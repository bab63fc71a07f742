"""AlphaGo's pipeline as a whole: games, three stages, and their ratings; and its bad input."""

import importlib.util
import json
import pathlib
import sys

import pytest

SCRIPT = pathlib.Path(__file__).parents[2] / "experiments" / "alphago.py"


@pytest.fixture(scope="module")
def alphago():
    spec = importlib.util.spec_from_file_location("experiments.alphago", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where the texts of --help are read from
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def fails(alphago, capsys):
    """Returns `fails(arguments)`: the line that a command ends in, with exit code 2."""

    def call(*arguments):
        with pytest.raises(SystemExit) as ended:
            alphago.main(list(arguments))
        assert ended.value.code == 2
        return capsys.readouterr().err

    return call


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--rating-games", "3"), "rating_games=3: must be even"),
        (("--games", "5"), "games=5: must be even"),
        (("--simulations", "0"), "simulations=0: must be at least 1"),
        (("--minutes", "0"), "minutes=0.0: must be above 0"),
    ],
)
def test_bad_numbers_are_refused_before_anything_is_played(fails, tmp_path, arguments, message):
    assert message in fails("--out", str(tmp_path / "out"), *arguments)
    assert not (tmp_path / "out").exists()


def test_games_of_other_options_are_not_imitated(fails, tmp_path):
    about = {"game": "tic_tac_toe", "teacher": "random", "games": 20, "seed": 0, "minutes": 0.1}
    (tmp_path / "games.json").write_text(json.dumps(about))
    (tmp_path / "games.txt").write_text("1 2 3\n")
    line = fails("--game", "tic_tac_toe", "--teacher", "minimax", "--out", str(tmp_path))
    assert "has games of --game tic_tac_toe, --teacher random, --games 20, --seed 0:" in line
    assert (tmp_path / "games.txt").read_text() == "1 2 3\n"


@pytest.mark.slow
def test_the_pipeline_rates_its_stages_and_goes_on_where_it_stopped(alphago, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    arguments = ["--game", "tic_tac_toe", "--teacher", "mcts:simulations=20", "--games", "20"]
    arguments += ["--simulations", "4", "--rating-games", "4", "--out", "out"]
    arguments += ["--minutes", "0.4"]
    alphago.main(arguments)
    out = tmp_path / "out"
    assert len((out / "games.txt").read_text().splitlines()) == 20
    about = json.loads((out / "games.json").read_text())
    assert 0 < about["minutes"] < 0.4
    seconds = 0.0
    for stage in alphago.STAGES:
        last = json.loads((out / stage / "metrics.jsonl").read_text().splitlines()[-1])
        seconds += last["seconds"]
    assert seconds >= 60 * (0.4 - about["minutes"]) - 0.1
    ratings = (out / "tournament" / "tournament.json").read_text()
    for name in (*alphago.STAGES, "rollouts=0.5", "mcts:simulations=20"):
        assert name in ratings
    before = sorted(path for path in out.rglob("*") if "checkpoints" in path.parts)
    alphago.main(arguments)  # nothing is left to train
    assert sorted(path for path in out.rglob("*") if "checkpoints" in path.parts) == before
