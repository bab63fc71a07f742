"""How far the runs of studies and sweeps are."""

import pathlib
from typing import NamedTuple

from azjax.config.limits import Limits
from azjax.page.newest_metrics import NewestMetrics
from azjax.page.owners import OwnerWatch
from azjax.runs.storage.run_directory import METRICS


class Progress(NamedTuple):
    """A run as it is now."""

    iteration: int  # 0 before the first
    share: float  # of its limits that is done
    accuracy: float | None  # with search, the newest
    is_trained: bool  # by a process that owns it


class ProgressReader:
    """Reads the progress of runs, each again when it has changed; threads may share it."""

    def __init__(self, owners: OwnerWatch):
        """Has read nothing yet; takes what finds the owners of runs."""
        self._owners, self._newest = owners, NewestMetrics()

    def read(self, run: pathlib.Path, limits: Limits) -> Progress:
        """Returns the progress of the run in a folder, which need not exist."""
        newest = self._newest.read(run / METRICS)
        share = limits.share_done(newest.iteration, newest.last.get("seconds", 0.0))
        accuracy = newest.evaluation.get("accuracy_search")
        is_trained = self._owners.find(run) is not None
        return Progress(newest.iteration, share, accuracy, is_trained)
