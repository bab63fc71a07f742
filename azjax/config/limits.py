"""The length of a run."""

import dataclasses

from azjax.support.plurals import agreeing
from azjax.support.validation import check_above, check_at_least, check_range

_LONGEST = 10 * 366 * 24 * 60  # minutes, in ten years


@dataclasses.dataclass(frozen=True)
class Limits:
    """The limits of a run, which ends at the first that it reaches.

    Minutes count the training of all sessions; compiling, evaluations and saving are left out.
    """

    minutes: float | None = None
    iterations: int | None = None

    def __post_init__(self):
        """Raises ValueError where a limit is out of range."""
        if self.minutes is not None:
            check_above("minutes", self.minutes, 0)
            check_range("minutes", self.minutes, 0, _LONGEST)
        if self.iterations is not None:
            check_at_least("iterations", self.iterations, 1)

    def __str__(self) -> str:
        """Returns the limits in words, such as `15 minutes`."""
        given = {"minute": self.minutes, "iteration": self.iterations}
        words = [
            f"{number} {agreeing(unit, number)}".replace(".0 ", " ")
            for unit, number in given.items()
            if number is not None
        ]
        return " or ".join(words) or "none"

    @property
    def is_given(self) -> bool:
        """Whether there is a limit at all."""
        return self.minutes is not None or self.iterations is not None

    def share_done(self, iteration: int, seconds: float) -> float:
        """Returns the share of the run that is done after so much training, 1 at its end."""
        of_minutes = seconds / (60 * self.minutes) if self.minutes else 0.0
        of_iterations = iteration / self.iterations if self.iterations else 0.0
        return min(1.0, max(of_minutes, of_iterations))
