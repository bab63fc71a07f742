"""The search space of a sweep: ranges and choices of fields; all others have the base's values."""

import dataclasses
import itertools
from collections.abc import Iterator
from typing import Any

import optuna

from azjax.config.fields import list_fields, list_numbers, with_fields
from azjax.config.run_config import RunConfig
from azjax.support.ranges import Range

PARTS = "parts"

Values = dict[str, Any]  # by field name, such as optimizer.learning_rate


@dataclasses.dataclass(frozen=True)
class Space:
    """The fields that a sweep samples, named as in presets and flags."""

    base: RunConfig
    """The values of all fields that are not sampled."""
    ranges: dict[str, Range]
    """Ranges of numbers, which are traced: all configurations share one program."""
    choices: dict[str, tuple[Any, ...]]
    """Lists of values, of any field; those of `parts` are texts, as its flag takes them."""

    def sample(self, trial: optuna.Trial) -> None:
        """Samples a trial's values, choices first: the components decide which ranges apply."""
        sampled = {
            name: trial.suggest_categorical(name, choices) for name, choices in self.choices.items()
        }
        numbers = list_numbers(self.config(sampled))
        for name, range_ in self.ranges.items():
            if name in numbers:
                trial.suggest_float(name, range_.low, range_.high, log=range_.log)

    def config(self, values: Values) -> RunConfig:
        """Returns the configuration with these values; those of ranges have four digits.

        Raises:
          ValueError: RunConfig does not accept one of them.
        """
        rounded = {
            name: _round(value, self.ranges[name]) if name in self.ranges else value
            for name, value in values.items()
        }
        if PARTS in rounded:
            rounded[PARTS] = rounded[PARTS].split()
        return with_fields(self.base, rounded)

    def static_values(self, values: Values) -> Values:
        """Returns the values that are static under `jit`, and so equal within a population."""
        numbers = list_numbers(self.config(values))
        return {name: value for name, value in values.items() if name not in numbers}

    def values_of(self, config: RunConfig) -> Values:
        """Returns the configuration's values of sampled fields, without those outside the space."""
        fields = list_fields(config)
        fields[PARTS] = " ".join(fields[PARTS])
        return {
            name: fields[name]
            for name in (*self.choices, *self.ranges)
            if name in fields and fields[name] in (self.ranges.get(name) or self.choices[name])
        }

    def combinations(self) -> Iterator[RunConfig]:
        """Yields the configuration of each combination of choices.

        Raises:
          ValueError: RunConfig does not accept one of them.
        """
        for values in itertools.product(*self.choices.values()):
            yield self.config(dict(zip(self.choices, values, strict=True)))


def _round(value: float, range_: Range) -> float:
    """Returns the value with four significant digits, clipped to its range."""
    return min(max(float(f"{value:.4g}"), range_.low), range_.high)
