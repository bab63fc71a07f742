"""Whether a run on disk has anything left to do."""

from typing import Literal

from azjax.runs.evaluations import is_evaluation_due
from azjax.runs.metric_rows import is_perfect
from azjax.runs.metrics_log import read_metrics
from azjax.runs.restore import checkpointed, restore
from azjax.runs.run_directory import RunDirectory
from azjax.support.tables import Row

Reason = Literal["perfect", "limit"]


def why_finished(run: RunDirectory) -> Reason | None:
    """Returns why a session would end at once, or None if there is something left to do.

    It compiles nothing. A run whose newest checkpoint is damaged goes on from the one before.
    """
    row = _last_saved(run)
    if row is None:
        return None
    iteration, seconds = row["iteration"], row["seconds"]
    is_at_limit = run.limits.share_done(iteration, seconds) >= 1
    is_due = is_evaluation_due(run, iteration, seconds, row["iteration_seconds"])
    is_at_its_best = run.config.stop_when_perfect and is_due and is_perfect(row)
    if not (is_at_limit or is_at_its_best) or restore(run).iteration != iteration:
        return None
    return "perfect" if is_at_its_best else "limit"


def _last_saved(run: RunDirectory) -> Row | None:
    """Returns the metrics of the iteration of the newest checkpoint, if there are any."""
    newest = max(checkpointed(run), default=0)
    rows = {row["iteration"]: row for row in read_metrics(run.metrics)}
    return rows.get(newest) if newest > 0 else None
