"""The metrics of the runs that one visitor looks at."""

import threading
from collections.abc import Sequence

from azjax.page.training.runs.metrics_tail import Metrics, MetricsTail
from azjax.page.training.runs.monitor import WatchedRun
from azjax.runs.storage.run_directory import METRICS


class RunMetrics:
    """Reads what a few runs append to their metrics. It reads files."""

    def __init__(self):
        """Has read nothing yet."""
        self._lock = threading.Lock()
        self._tails: dict[str, MetricsTail] = {}

    def read(self, runs: Sequence[WatchedRun]) -> dict[str, Metrics]:
        """Returns the metrics of the runs by name, the same objects where nothing is new."""
        with self._lock:
            for run in runs:
                if run.name not in self._tails:
                    self._tails[run.name] = MetricsTail(run.path / METRICS)
            return {run.name: self._tails[run.name].read() for run in runs}
