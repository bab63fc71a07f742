"""When a run saves a checkpoint: by the clock, at the end of iterations."""

import math
import time

_SECONDS_AFTER_EVALUATIONS = 15.0  # at least between two checkpoints
SECONDS_UNSAVED = 300.0  # at most, unless a single iteration takes longer


class CheckpointSchedule:
    """Decides after each iteration of a session whether its state is saved.

    The first one is: what cannot be saved fails then. An evaluation is saved soon, for the choice
    of the best checkpoint. Any other iteration is saved if the next one, which may take as long,
    would end too late.
    """

    def __init__(self):
        """Starts a session."""
        self._saved_at, self._ended_at = -math.inf, time.monotonic()

    def is_due(self, *, is_evaluation: bool) -> bool:
        """Tells whether to save after the iteration that has just ended."""
        now = time.monotonic()
        unsaved, iteration = now - self._saved_at, now - self._ended_at
        self._ended_at = now
        is_soon = is_evaluation and unsaved > _SECONDS_AFTER_EVALUATIONS
        return is_soon or unsaved + iteration > SECONDS_UNSAVED

    def note_saved(self) -> None:
        """Remembers that the state has been saved now."""
        self._saved_at = time.monotonic()
