"""Why a run ends."""

from typing import Literal

from azjax.config.limits import Limits
from azjax.runs.evaluation.evaluations import is_evaluation_due
from azjax.runs.evaluation.metric_rows import is_perfect
from azjax.runs.storage.run_directory import RunDirectory
from azjax.support.files.tables import Row

Ending = Literal["perfect", "rounds", "limit"]

ENDING_TEXTS: dict[Ending, str] = {
    "perfect": "the agent is perfect",
    "rounds": "the last round is passed",
    "limit": "the run has reached its limit",
}


def why_ended(run: RunDirectory, row: Row) -> Ending | None:
    """Returns why a run ends after an iteration with these metrics, or None if it goes on.

    Nothing is measured again. That an agent is perfect counts where an evaluation was due, and not
    at the end of a shorter limit: a raised limit changes nothing before itself.
    """
    if row["iteration"] == 0:
        return None
    algorithm = run.config.train.algorithm
    before_gating = row["seconds"] - row.get("gating_seconds", 0)
    is_due = is_evaluation_due(run, row["iteration"], before_gating, row["iteration_seconds"])
    return find_ending(
        row,
        run.limits,
        stop_when_perfect=run.config.stop_when_perfect and is_due,
        rounds=getattr(algorithm, "rounds", 0),
    )


def find_ending(row: Row, limits: Limits, *, stop_when_perfect: bool, rounds: int) -> Ending | None:
    """Returns why a run ends, or None if it goes on.

    Args:
      row: The metrics of its last iteration.
      limits: Its limits.
      stop_when_perfect: Whether it ends before them, when its agent is perfect, or when its last
        round is passed and the search, where that is known, loses to nobody.
      rounds: The number of rounds, for an algorithm that has them.
    """
    if stop_when_perfect and is_perfect(row):
        return "perfect"
    is_last_passed = row.get("rounds_passed", -1) >= rounds
    if stop_when_perfect and is_last_passed and not row.get("exploitability"):
        return "rounds"
    return "limit" if limits.share_done(row["iteration"], row["seconds"]) >= 1 else None
