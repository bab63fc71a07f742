"""The search space of a sweep: ranges and choices of fields; all others have the base's values.

A search-space file is a preset whose fields may have ranges, lists of choices, or one value:

evaluate_every = 5

[optimizer]
learning_rate = {low = 1e-3, high = 1e-2}   # on the declared scale, unless log = true or false

[search]
name = ["gumbel", "puct"]
gumbel_scale = 1.0                          # fixed

[train]
num_updates = [8, 16]
"""

import dataclasses
import itertools
import pathlib
from collections.abc import Iterator, Sequence
from typing import Any

import optuna

from azjax.config.fields import (
    EVALUATION,
    RUN_FIELDS,
    declared_ranges,
    flatten,
    list_fields,
    list_numbers,
    with_fields,
)
from azjax.config.run_config import RunConfig
from azjax.support.files.reading import read_toml
from azjax.support.ranges import Range
from azjax.support.suggestions import did_you_mean

PARTS = "parts"
_BOUNDS = ("low", "high", "log")

Values = dict[str, Any]  # by field name, such as optimizer.learning_rate


@dataclasses.dataclass(frozen=True)
class Space:
    """The fields that a sweep samples, named as in presets and flags."""

    base: RunConfig
    """The values of all fields that are not sampled."""
    ranges: dict[str, Range]
    """Ranges of numbers, which are traced: all configurations share one program."""
    choices: dict[str, tuple[Any, ...]]
    """Lists of values, of any field; values of `parts` are texts, as its flag takes them."""

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
        """Returns the configuration with these values; numbers of ranges have four digits.

        Raises:
          ValueError: RunConfig does not accept one of them.
        """
        rounded: Values = {
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


def make_space(
    config: RunConfig, path: pathlib.Path | None = None, only: Sequence[str] = ()
) -> Space:
    """Returns the search space around a configuration: the declared one, changed by a file.

    If some fields are named, only those are sampled, each over its declared range.

    Raises:
      ValueError: The file cannot be read, a field in it is wrong, or one of `only` has no range.
    """
    if only:
        return Space(config, _select(config, only), {})
    if path is None:
        return _make_space(config, {})
    try:
        return _make_space(config, dict(flatten(read_toml(path), has_ranges=True)))
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


def _select(config: RunConfig, only: Sequence[str]) -> dict[str, Range]:
    declared, fields = declared_ranges(config), list_fields(config)
    for name in only:
        if name not in declared:
            is_field = name in fields
            hint = f"there are {', '.join(declared)}" if is_field else did_you_mean(name, declared)
            raise ValueError(f"only={name}: no range is declared; {hint}")
    return {name: declared[name] for name in only}


def _make_space(config: RunConfig, entries: Values) -> Space:
    # Choices of `parts` are a list of lists.
    lists = {name: v for name, v in entries.items() if isinstance(v, list)}
    choices = {
        name: _choices(name, values)
        for name, values in lists.items()
        if name != PARTS or any(isinstance(value, list) for value in values)
    }
    ranges = {name: v for name, v in entries.items() if isinstance(v, dict)}
    fixed = {n: v for n, v in entries.items() if n not in choices and n not in ranges}
    base = with_fields(config, fixed)
    configs = list(Space(base, {}, choices).combinations())
    declared: dict[str, Range] = {}
    for each in configs:
        declared = declared_ranges(each) | declared
    given = {name: _range(configs, declared, name, v) for name, v in ranges.items()}
    left = {name: range_ for name, range_ in declared.items() if name not in entries}
    return Space(base, left | given, choices)


def _choices(name: str, values: list[Any]) -> tuple[Any, ...]:
    if name in ("game", *RUN_FIELDS) or name.startswith(EVALUATION):
        raise ValueError(f"{name}: all trials are evaluated alike, so give one value, not a list")
    if not values:
        raise ValueError(f"{name}: the list of its choices is empty")
    if any(value in values[:i] for i, value in enumerate(values)):
        raise ValueError(f"{name}={values}: a choice is there twice")
    if name == PARTS:
        return tuple(" ".join(map(str, parts)) for parts in values)
    return tuple(values)


def _range(
    configs: Sequence[RunConfig], declared: dict[str, Range], name: str, table: dict[str, Any]
) -> Range:
    """Returns the range of a table, for a field of at least one of the configurations."""
    for key in table:
        if key not in _BOUNDS:
            raise ValueError(f"{name}: unknown bound {key!r}; {did_you_mean(key, _BOUNDS)}")
    if not {"low", "high"} <= table.keys():
        raise ValueError(f"{name}: a range is {{low = ..., high = ...}}, with log = true or false")
    config = next((each for each in configs if name in list_fields(each)), configs[0])
    low, high = (
        list_fields(with_fields(config, {name: table[bound]}))[name] for bound in ("low", "high")
    )
    if name not in list_numbers(config):
        raise ValueError(f"{name}: a size is compiled in, so list its choices: [8, 16]")
    log = table.get("log", name in declared and declared[name].log)
    if not isinstance(log, bool):
        raise ValueError(f"{name}: log={log!r} must be true or false")
    try:
        return Range(low, high, log)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error


def _round(value: float, range_: Range) -> float:
    """Returns the value with four significant digits, clipped to its range."""
    return min(max(float(f"{value:.4g}"), range_.low), range_.high)
