"""The space of a sweep: which fields are drawn and from where; the others are the preset's."""

import dataclasses
import functools
import itertools
import operator
from collections.abc import Iterator
from typing import Any

import optuna

from azjax.config.run_config import RunConfig, from_dict, to_dict
from azjax.search import SearchConfig, SearchHyperparameters
from azjax.support.ranges import Range, declared_ranges
from azjax.training import Hyperparameters

ALGORITHM = "train.search.algorithm"
_SEARCH = "hparams.search."

Values = dict[str, Any]  # by the names of fields, such as hparams.learning_rate


@dataclasses.dataclass(frozen=True)
class Space:
    """What a sweep draws its configurations from; fields are named as in RunConfig."""

    base: RunConfig
    """Has the values of the fields that are not drawn."""
    ranges: dict[str, Range]
    """Numbers that are traced: configurations that differ in them alone share a program."""
    choices: dict[str, tuple[Any, ...]]
    """Fields of a few values each."""

    def draw(self, trial: optuna.Trial) -> None:
        """Draws for a trial what it has not been given; choices first, as ranges hang on them."""
        drawn = {
            name: trial.suggest_categorical(name, choices) for name, choices in self.choices.items()
        }
        algorithm = self.config(drawn).train.search.algorithm
        for name, range_ in self.ranges.items():
            if not is_unused(name, (algorithm,)):
                trial.suggest_float(name, range_.low, range_.high, log=range_.log)

    def config(self, values: Values) -> RunConfig:
        """Returns the configuration that has these values; numbers of ranges have four digits.

        Raises:
          ValueError: RunConfig does not accept one of them.
        """
        table = to_dict(self.base)
        for name, value in values.items():
            *parents, field = name.split(".")
            range_ = self.ranges.get(name)
            value = _round(value, range_) if range_ else value
            functools.reduce(operator.getitem, parents, table)[field] = value
        return from_dict(RunConfig, table)

    def sizes(self, values: Values) -> Values:
        """Returns those of the values that must be the same in all of a population."""
        return {name: value for name, value in values.items() if name.startswith("train.")}

    def values_of(self, config: RunConfig) -> Values:
        """Returns the values that a configuration has, as far as the space holds them."""
        found = {name: value_of(config, name) for name in (*self.choices, *self.ranges)}
        return {
            name: value
            for name, value in found.items()
            if value in (self.ranges.get(name) or self.choices[name])
        }

    def combinations(self) -> Iterator[RunConfig]:
        """Yields a configuration for each combination of choices.

        Raises:
          ValueError: RunConfig does not accept one of them.
        """
        for values in itertools.product(*self.choices.values()):
            yield self.config(dict(zip(self.choices, values, strict=True)))


def declared_space() -> dict[str, Range]:
    """Returns the ranges that are declared beside the hyperparameters, by the fields' names."""
    ranges = declared_ranges(Hyperparameters)
    of_search = declared_ranges(SearchHyperparameters)
    return {f"hparams.{name}": range_ for name, range_ in ranges.items()} | {
        f"{_SEARCH}{name}": range_ for name, range_ in of_search.items()
    }


def is_unused(name: str, algorithms: tuple[str, ...]) -> bool:
    """Tells whether a field is a number of the search that none of the algorithms uses."""
    used = {number for a in algorithms for number in SearchConfig(a).used_hyperparameters}
    return name.startswith(_SEARCH) and name.removeprefix(_SEARCH) not in used


def value_of(config: RunConfig, name: str) -> Any:
    """Returns the value of the field that a name such as hparams.learning_rate means."""
    return functools.reduce(getattr, name.split("."), config)


def _round(value: float, range_: Range) -> float:
    """Returns what a person can read, still in its range."""
    return min(max(float(f"{value:.4g}"), range_.low), range_.high)
