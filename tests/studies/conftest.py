"""A tiny study that the tests share: two cells of one compiled program, two seeds each."""

import dataclasses
import io

import pytest
from rich.console import Console

from azjax.config.fields import with_fields
from azjax.config.limits import Limits
from azjax.config.run_config import RunConfig
from azjax.evaluation import all_positions
from azjax.games import make
from azjax.networks import MLPConfig
from azjax.search import PUCT, Gumbel
from azjax.studies.run_study import run_study
from azjax.studies.study import Cell, Panel, Study
from azjax.training import TrainConfig

TRAIN = TrainConfig(
    game="tic_tac_toe",
    network=MLPConfig(channels=16, blocks=1),
    search=Gumbel(num_simulations=4),
    num_games=8,
    num_moves=4,
    replay_moves=8,
    num_updates=1,
    batch_size=8,
)
BASE = RunConfig(TRAIN, evaluation_simulations=2, evaluated_by=PUCT(c_puct=2.0))


def make_study(path):
    cells = (
        Cell("slow", {"rate": 0.001}, with_fields(BASE, {"optimizer.learning_rate": 0.001})),
        Cell("fast", {"rate": 0.01}, with_fields(BASE, {"optimizer.learning_rate": 0.01})),
    )
    return Study(
        name="compare_rates",
        path=path,
        preset="tic_tac_toe",
        positions=all_positions(make("tic_tac_toe")),
        cells=cells,
        panels=(Panel("rate", {"low": "slow", "high": "fast"}),),
        num_seeds=2,
        limits=Limits(minutes=None, iterations=4),
        play_time_simulations=(2,),
    )


def quicken(patch):
    """Plays short matches."""
    patch.setattr("azjax.studies.ratings.games_per_match", lambda num_matches: 4)


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    quicken(monkeypatch)


@pytest.fixture
def console():
    return Console(file=io.StringIO(), width=200)


@pytest.fixture
def printed(console):
    """Returns `printed()`, what was printed on the console."""
    return console.file.getvalue


@pytest.fixture
def study(tmp_path):
    """Returns the study before it has begun."""
    return make_study(tmp_path / "study")


@pytest.fixture
def with_common_search(study):
    """Returns the study with a cell `fast` that trains with the common search, PUCT."""
    slow, fast = study.cells
    config = with_fields(fast.config, {"search.name": "puct", "search.c_puct": 2.0})
    return dataclasses.replace(study, cells=(slow, dataclasses.replace(fast, config=config)))


@pytest.fixture(scope="session")
def done(made_once):
    """Returns a finished study; tests must not change its folder."""

    def run(folder):
        with pytest.MonkeyPatch.context() as patch:
            quicken(patch)
            run_study(make_study(folder), Console(file=io.StringIO()))

    return make_study(made_once("study", run))


@pytest.fixture
def moved(done):
    """Returns `moved(path)`: the finished study with another folder."""
    return lambda path: dataclasses.replace(done, path=path)
