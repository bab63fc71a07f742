"""What a run on disk has left to do, and what changes when it goes on."""

from azjax.runs.endings import Ending, why_ended
from azjax.runs.storage.metrics_log import read_metrics
from azjax.runs.storage.restore import checkpointed, restore
from azjax.runs.storage.run_description import read_description
from azjax.runs.storage.run_directory import RunDirectory
from azjax.support.tables import Row


def why_finished(run: RunDirectory) -> Ending | None:
    """Returns why a session would end at once, or None if there is something left to do.

    It compiles nothing. A run whose newest checkpoint is damaged goes on from the one before.
    """
    row = _last_saved(run)
    ending = why_ended(run, row) if row else None
    return ending if row and ending and restore(run).iteration == row["iteration"] else None


def describe_changes(run: RunDirectory) -> list[str]:
    """Returns a line if a run that goes on measures its accuracy on other positions from now on."""
    before = read_description(run.path).get("truth", run.truth)  # older runs do not record it
    if run.truth == before:
        return []
    until = f"accuracy was measured on {_describe(before)} until iteration {_newest(run)}"
    return [f"{until}, from now on {_describe(run.truth)}"]


def _describe(truth: str | None) -> str:
    return truth or "the positions of a run without --truth"


def _last_saved(run: RunDirectory) -> Row | None:
    """Returns the metrics of the iteration of the newest checkpoint, if there are any."""
    newest = _newest(run)
    rows = {row["iteration"]: row for row in read_metrics(run.metrics)}
    return rows.get(newest) if newest > 0 else None


def _newest(run: RunDirectory) -> int:
    """Returns the iteration of the newest checkpoint, or 0."""
    return max(checkpointed(run), default=0)
