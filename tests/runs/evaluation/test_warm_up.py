"""Warming up, which reads no file of a run, and runs whose file of games may be gone later."""

import dataclasses

import numpy as np
import pytest
from tiny_runs import no_progress, train_run

from azjax.config.limits import Limits
from azjax.config.run_config import RunConfig
from azjax.evaluation import all_positions
from azjax.games import make
from azjax.networks import MLPConfig
from azjax.runs.recorded_games import write_games
from azjax.runs.resuming import initial_state
from azjax.runs.storage.run_directory import RunDirectory
from azjax.runs.storage.run_folders import create_run
from azjax.runs.train import warm_up
from azjax.support.errors import InputError
from azjax.training import SupervisedPolicy

GAME = make("tic_tac_toe")


@pytest.fixture
def games(tmp_path):
    write_games(GAME, tmp_path / "games.txt", [[4, 0, 1, 7, 2]])
    return tmp_path / "games.txt"


@pytest.fixture
def run(tmp_path, tiny_config, games):
    network = MLPConfig(channels=16, blocks=1, value_head="none")
    components = {"algorithm": SupervisedPolicy(), "network": network, "parts": ()}
    train = dataclasses.replace(tiny_config, replay_moves=4, replay=str(games), **components)
    config = RunConfig(train, evaluation_simulations=2)
    limits = Limits(iterations=1)
    return create_run(RunDirectory(tmp_path / "run", "tic_tac_toe", config, 0, 1, limits))


def test_a_new_run_needs_its_games_and_warming_up_does_not(run, games):
    games.unlink()
    warm_up(run, None)
    with pytest.raises(InputError, match=r"games\.txt"):
        initial_state(run)


@pytest.mark.slow
def test_a_run_goes_on_without_its_file_of_games(run, games):
    some = all_positions(GAME).take(np.arange(5))
    first = train_run(run, no_progress(), some)
    games.unlink()
    longer = dataclasses.replace(run, limits=Limits(None, 2))
    again = train_run(longer, no_progress(), some)
    assert again.rows[:2] == first.rows
    assert [row["iteration"] for row in again.rows] == [0, 1, 2]
