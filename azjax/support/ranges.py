"""The range over which a number may be swept, declared beside the number it is of."""

import dataclasses
import math
import typing


@dataclasses.dataclass(frozen=True)
class Range:
    """Numbers from `low` to `high`, drawn evenly on their scale.

    It annotates a field: `learning_rate: Annotated[float, Range(3e-4, 3e-2, log=True)] = 1e-3`.
    """

    low: float
    high: float
    log: bool = False  # a factor counts alike anywhere, instead of a difference

    def __post_init__(self):
        """Raises ValueError where it is upside down, endless, or has no logarithm."""
        if not (math.isfinite(self.low) and math.isfinite(self.high)):
            raise ValueError(f"low={self.low}, high={self.high}: both must be finite")
        if not self.low < self.high:
            raise ValueError(f"low={self.low} must be below high={self.high}")
        if self.log and self.low <= 0:
            raise ValueError(f"low={self.low} must be above 0 on a logarithmic scale")

    def __contains__(self, value: float) -> bool:
        """Tells whether a number lies in it."""
        return self.low <= value <= self.high


def declared_ranges(kind: type) -> dict[str, Range]:
    """Returns the ranges of a class's fields, by their names; most fields have none."""
    return {
        name: note
        for name, hint in typing.get_type_hints(kind, include_extras=True).items()
        for note in getattr(hint, "__metadata__", ())
        if isinstance(note, Range)
    }
