"""How long a run goes on."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Limits:
    """When a run is over: at whichever comes first.

    Minutes are those of training, of earlier sessions too; compiling, looks at accuracy and saving
    do not count.
    """

    minutes: float | None
    iterations: int | None

    @property
    def is_given(self) -> bool:
        """Whether there is any."""
        return self.minutes is not None or self.iterations is not None

    def share_done(self, iteration: int, seconds: float) -> float:
        """Returns how much of the run is done, 1 at its end."""
        shares = [0.0]
        if self.minutes is not None:
            shares.append(seconds / (60 * self.minutes))
        if self.iterations is not None:
            shares.append(iteration / self.iterations)
        return min(1.0, max(shares))
