"""When a run is evaluated, and why it ends."""

import math
from typing import Literal

from azjax.config.limits import Limits
from azjax.runs.evaluation.metric_rows import is_perfect
from azjax.runs.storage.run_directory import RunDirectory
from azjax.support.files.tables import Row

Ending = Literal["perfect", "rounds", "limit"]

ENDING_TEXTS: dict[Ending, str] = {
    "perfect": "the agent is perfect",
    "rounds": "the last round is passed",
    "limit": "the run has reached its limit",
}
_EVALUATIONS_PER_RUN = 8  # at least, if the run has so many iterations


def is_evaluation_due(
    run: RunDirectory, iteration: int, seconds: float, iteration_seconds: float
) -> bool:
    """Tells whether a run is evaluated after an iteration, from 1, that is not its last.

    It is at multiples of `evaluate_every`, and where the share of the run that is done, by its
    iterations or its seconds of training, reaches a multiple of 1/8.
    """
    before = run.limits.share_done(iteration - 1, seconds - iteration_seconds)
    after = run.limits.share_done(iteration, seconds)
    is_share = math.floor(_EVALUATIONS_PER_RUN * before) < math.floor(_EVALUATIONS_PER_RUN * after)
    return is_share or is_gating_due(run, iteration)


def is_gating_due(run: RunDirectory, iteration: int) -> bool:
    """Tells whether a gated run is gated: that changes the run, so the iteration alone decides."""
    return iteration % run.config.evaluate_every == 0


def why_ended(run: RunDirectory, row: Row) -> Ending | None:
    """Returns why a run ends after an iteration with these metrics, or None if it goes on.

    Nothing is measured again. That an agent is perfect counts where an evaluation was due, and not
    at the end of a shorter limit: a raised limit changes nothing before itself.
    """
    if row["iteration"] == 0:
        return None
    before_gating = row["seconds"] - row.get("gating_seconds", 0)
    is_due = is_evaluation_due(run, row["iteration"], before_gating, row["iteration_seconds"])
    return find_ending(
        row,
        run.limits,
        stop_when_perfect=run.config.stop_when_perfect and is_due,
        rounds=run.config.train.algorithm.num_rounds,
    )


def find_ending(row: Row, limits: Limits, *, stop_when_perfect: bool, rounds: int) -> Ending | None:
    """Returns why a run ends, or None if it goes on.

    Args:
      row: The metrics of its last iteration.
      limits: Its limits.
      stop_when_perfect: Whether it ends before them, when its agent is perfect, or when its last
        round is passed and the search, where that is known, loses to nobody.
      rounds: The number of rounds, 0 for an algorithm without.
    """
    if stop_when_perfect and is_perfect(row):
        return "perfect"
    is_last_passed = 0 < rounds <= row.get("rounds_passed", 0)
    if stop_when_perfect and is_last_passed and not row.get("exploitability"):
        return "rounds"
    return "limit" if limits.share_done(row["iteration"], row["seconds"]) >= 1 else None
