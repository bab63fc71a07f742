"""When a run is evaluated and gated."""

import math

from azjax.runs.run_directory import RunDirectory

_EVALUATIONS_PER_RUN = 8  # at least, if the run has so many iterations


def is_evaluation_due(
    run: RunDirectory, iteration: int, seconds: float, iteration_seconds: float
) -> bool:
    """Tells whether a run is evaluated after an iteration, besides its first and its last.

    It is at multiples of `evaluate_every`, and where the share of the run that is done reaches a
    multiple of 1/8.

    Args:
      run: The run.
      iteration: The iteration, from 1.
      seconds: Seconds of training so far.
      iteration_seconds: Those of this iteration.
    """
    before = run.limits.share_done(iteration - 1, seconds - iteration_seconds)
    after = run.limits.share_done(iteration, seconds)
    is_share = math.floor(_EVALUATIONS_PER_RUN * before) < math.floor(_EVALUATIONS_PER_RUN * after)
    return is_share or is_gating_due(run, iteration)


def is_gating_due(run: RunDirectory, iteration: int) -> bool:
    """Tells whether a gated run is gated after an iteration.

    Gating changes the run, so it depends on nothing but the iteration.
    """
    return iteration % run.config.evaluate_every == 0
