"""What a run on disk has left to do, and what changes when it goes on."""

import math

from azjax.evaluation import SolvedPositions
from azjax.runs.checkpoint_schedule import SECONDS_UNSAVED
from azjax.runs.evaluation.endings import Ending, why_ended
from azjax.runs.storage.checkpoints import last_checkpoint
from azjax.runs.storage.metrics_log import read_metrics
from azjax.runs.storage.restore import checkpointed, restore
from azjax.runs.storage.run_description import read_description
from azjax.runs.storage.run_directory import RunDirectory
from azjax.support.files.tables import Row
from azjax.support.plurals import count


def why_finished(run: RunDirectory) -> Ending | None:
    """Returns why a session would end at once, or None if there is something left to do.

    It compiles nothing. A run whose newest checkpoint is damaged goes on from the one before.
    """
    row = _last_saved(run)
    ending = why_ended(run, row) if row else None
    return ending if row and ending and restore(run).iteration == row["iteration"] else None


def were_checkpoints_deleted(run: RunDirectory) -> bool:
    """Tells whether a run has metrics, and checkpoints no longer.

    A run that was killed early has none yet. One that has trained for longer than it goes unsaved
    has had some, and so has one whose curves are plotted, as its session has saved it and ended.
    """
    if not run.metrics.exists() or last_checkpoint(run.checkpoints) is not None:
        return False
    if not run.checkpoints.exists() or run.curves.exists():
        return True
    rows = [row for row in read_metrics(run.metrics) if row["iteration"] > 0]
    longest = max((row["iteration_seconds"] for row in rows), default=0.0)
    return bool(rows) and rows[-1]["seconds"] > SECONDS_UNSAVED + longest


def describe_changes(run: RunDirectory, positions: SolvedPositions | None = None) -> list[str]:
    """Returns lines on what changes where a run goes on: devices, and positions of its accuracy.

    Args:
      run: The run.
      positions: Those of its truth, if it is given: the file may have changed.
    """
    saved, lines = read_description(run.path), []
    if run.num_devices != saved["devices"]:
        lines.append(
            f"trained on {count(saved['devices'], 'device')} until iteration {_newest(run)}, from "
            f"now on {run.num_devices}: sums are rounded in another order, so it is not "
            "bit-identical"
        )
    before = saved.get("truth", run.truth)  # older runs do not record it
    if run.truth != before or not (positions is None or _has_measured_on(run, positions)):
        then = _describe(before)
        now = "others of that name" if run.truth == before else _describe(run.truth)
        lines.append(
            f"accuracy was measured on {then} until iteration {_newest(run)}, from now on {now}"
        )
    return lines


def _has_measured_on(run: RunDirectory, positions: SolvedPositions) -> bool:
    """Tells whether random play had the same accuracy on the positions of the last evaluation."""
    found = (row.get("random_accuracy") for row in reversed(read_metrics(run.metrics)))
    return math.isclose(next(filter(None, found), positions.random), positions.random)


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
