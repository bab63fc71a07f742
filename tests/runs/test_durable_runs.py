"""What a run has written survives a power failure: it is synchronized."""

import pytest

from azjax.runs.storage.checkpoints import Checkpoints
from azjax.runs.storage.metrics_log import MetricsWriter
from azjax.runs.storage.network_history import NetworkHistory


def inodes_below(folder):
    return {path.stat().st_ino for path in (folder, *folder.rglob("*"))}


@pytest.mark.parametrize(
    ("open_folder", "contents"),
    [
        (lambda run: Checkpoints(run.checkpoints), lambda state: (state, None)),
        (lambda run: NetworkHistory(run.history), lambda state: (3, state.actor)),
    ],
    ids=["checkpoints", "history"],
)
def test_all_that_orbax_writes_is_on_disk(run, synced, state_at, open_folder, contents):
    folder = open_folder(run)
    folder.save(*contents(state_at(3)))
    folder.close()
    assert (folder.path / "3").is_dir()
    assert inodes_below(folder.path) <= set(synced)
    assert run.path.stat().st_ino in synced  # the entry of the folder itself


def test_a_row_of_metrics_is_on_disk(run, synced):
    writer = MetricsWriter(run, 0)
    synced.clear()
    writer.write({"iteration": 1, "loss": 0.5})
    assert run.metrics.stat().st_ino in synced
    writer.close()
