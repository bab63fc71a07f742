"""Ranges over which numbers are swept, declared as annotations of their fields."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Range:
    """Numbers from `low` to `high`, sampled uniformly on their scale.

    Annotates a field: `learning_rate: Annotated[float, Range(3e-4, 3e-2, log=True)] = 1e-3`.
    """

    low: float
    high: float
    log: bool = False  # whether the scale is logarithmic

    def __post_init__(self):
        """Raises ValueError if the range is empty, or has no logarithm."""
        if not self.low < self.high:
            raise ValueError(f"low={self.low} must be below high={self.high}")
        if self.log and self.low <= 0:
            raise ValueError(f"low={self.low} must be above 0 on a logarithmic scale")

    def __contains__(self, value: float) -> bool:
        """Tells whether a number is in the range, its ends included."""
        return self.low <= value <= self.high


@dataclasses.dataclass(frozen=True)
class Off:
    """Marks a number that is `value` where an agent plays at full strength, such as noise."""

    value: float
