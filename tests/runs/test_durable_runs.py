"""What a run has written survives a power failure: it is synchronised."""

import pytest

from azjax.config.limits import Limits
from azjax.config.run_config import RunConfig
from azjax.runs.storage.budget_shares import BudgetShares
from azjax.runs.storage.checkpoints import Checkpoints
from azjax.runs.storage.metrics_log import MetricsWriter
from azjax.runs.storage.network_history import NetworkHistory
from azjax.runs.storage.run_directory import RunDirectory
from azjax.runs.storage.run_folders import create_run


@pytest.fixture
def run(tmp_path, tiny_config):
    config = RunConfig(tiny_config)
    limits = Limits(iterations=1)
    return create_run(RunDirectory(tmp_path / "run", "tic_tac_toe", config, 0, 1, limits))


def inodes_below(folder):
    return {path.stat().st_ino for path in (folder, *folder.rglob("*"))}


@pytest.mark.parametrize(
    ("open_folder", "contents"),
    [
        (lambda run: Checkpoints(run.checkpoints), lambda state: (state, None)),
        (lambda run: NetworkHistory(run.history), lambda state: (3, state.acting)),
    ],
    ids=["checkpoints", "history"],
)
def test_all_that_orbax_writes_is_on_disk(run, synced, state_at, open_folder, contents):
    folder = open_folder(run)
    folder.save(*contents(state_at(3)))
    folder.close()
    assert (folder._path / "3").is_dir()
    assert inodes_below(folder._path) <= set(synced)
    assert run.path.stat().st_ino in synced  # the entry of the folder itself


def test_a_row_of_metrics_is_on_disk(run, synced):
    writer = MetricsWriter(run, 0)
    synced.clear()
    writer.write({"iteration": 1, "loss": 0.5})
    assert run.metrics.stat().st_ino in synced
    writer.close()


def test_a_share_of_the_budget_is_on_disk(run, synced):
    shares = BudgetShares(run.budget_shares, 0)
    synced.clear()
    shares.begin(1, 0.0)
    assert run.budget_shares.stat().st_ino in synced
    shares.close()
