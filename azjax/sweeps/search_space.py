"""The search space of a sweep: ranges and choices of fields; all others have the base's values."""

import dataclasses
import functools
import itertools
import operator
from collections.abc import Iterator
from typing import Any

import optuna

from azjax.config.nested_dicts import parse_value, to_dict
from azjax.config.run_config import RunConfig, unused_hyperparameters
from azjax.networks import AUXILIARY_HEADS, MODEL_HEADS
from azjax.search import SearchHyperparameters, used_hyperparameters
from azjax.support.ranges import Range, declared_ranges
from azjax.training import Hyperparameters, TrainConfig

ALGORITHM = "train.search.algorithm"
_HPARAMS = "hparams."
_SEARCH = "hparams.search."
_HEAD_OF_WEIGHT = {f"hparams.{head}_loss_weight": head for head in (*AUXILIARY_HEADS, *MODEL_HEADS)}

Values = dict[str, Any]  # by field name, such as hparams.learning_rate


@dataclasses.dataclass(frozen=True)
class Space:
    """The fields that a sweep samples, named as in RunConfig."""

    base: RunConfig
    """The values of all fields that are not sampled."""
    ranges: dict[str, Range]
    """Ranges of hyperparameters, which are traced: all configurations share one program."""
    choices: dict[str, tuple[Any, ...]]
    """Lists of values, of any field."""

    def sample(self, trial: optuna.Trial) -> None:
        """Samples a trial's values, choices first: the algorithms decide which ranges apply."""
        sampled = {
            name: trial.suggest_categorical(name, choices) for name, choices in self.choices.items()
        }
        train = self.config(sampled).train
        for name, range_ in self.ranges.items():
            if not is_unused(name, train):
                trial.suggest_float(name, range_.low, range_.high, log=range_.log)

    def config(self, values: Values) -> RunConfig:
        """Returns the configuration with these values; those of ranges have four digits.

        Raises:
          ValueError: RunConfig does not accept one of them.
        """
        table = to_dict(self.base)
        for name, value in values.items():
            *parents, field = name.split(".")
            range_ = self.ranges.get(name)
            value = _round(value, range_) if range_ else value
            functools.reduce(operator.getitem, parents, table)[field] = value
        return parse_value(RunConfig, table)

    def static_values(self, values: Values) -> Values:
        """Returns the values that are static under `jit`, and so equal within a population."""
        return {name: value for name, value in values.items() if name.startswith("train.")}

    def values_of(self, config: RunConfig) -> Values:
        """Returns the configuration's values of sampled fields, without those outside the space."""
        found = {name: value_of(config, name) for name in (*self.choices, *self.ranges)}
        return {
            name: value
            for name, value in found.items()
            if value in (self.ranges.get(name) or self.choices[name])
        }

    def combinations(self) -> Iterator[RunConfig]:
        """Yields the configuration of each combination of choices.

        Raises:
          ValueError: RunConfig does not accept one of them.
        """
        for values in itertools.product(*self.choices.values()):
            yield self.config(dict(zip(self.choices, values, strict=True)))


def declared_space() -> dict[str, Range]:
    """Returns the ranges declared with the hyperparameters, by field name."""
    ranges = declared_ranges(Hyperparameters)
    of_search = declared_ranges(SearchHyperparameters)
    return {f"hparams.{name}": range_ for name, range_ in ranges.items()} | {
        f"{_SEARCH}{name}": range_ for name, range_ in of_search.items()
    }


def is_unused(name: str, train: TrainConfig) -> bool:
    """Tells whether neither the algorithm nor its search nor its heads use a hyperparameter."""
    if name.startswith(_SEARCH):
        return name.removeprefix(_SEARCH) not in used_hyperparameters(train.search.algorithm)
    if name in _HEAD_OF_WEIGHT and _HEAD_OF_WEIGHT[name] not in train.network.auxiliary_heads:
        return True
    return name.removeprefix(_HPARAMS) in unused_hyperparameters(train.algorithm)


def value_of(config: RunConfig, name: str) -> Any:
    """Returns the value of a field, by a name such as hparams.learning_rate."""
    return functools.reduce(getattr, name.split("."), config)


def _round(value: float, range_: Range) -> float:
    """Returns the value with four significant digits, clipped to its range."""
    return min(max(float(f"{value:.4g}"), range_.low), range_.high)
