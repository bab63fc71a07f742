"""Overrides of a configuration, named like the flags: `num_games`, `hparams.learning_rate`."""

from collections.abc import Iterator, Mapping
from typing import Any

from azjax.config.nested_dicts import parse_value, to_dict
from azjax.config.run_config import RunConfig, unused_hyperparameters
from azjax.support.suggestions import did_you_mean
from azjax.training import algorithm_names

_UNPREFIXED = "train"  # the table whose fields are flags without its name


def override(config: RunConfig, overrides: Mapping[str, Any]) -> RunConfig:
    """Returns the configuration with other values of some fields.

    With another algorithm among them, hyperparameters that it does not have are the defaults.

    Args:
      config: The configuration.
      overrides: Name of a field to its value. Names are those of the flags, with underscores:
        `{"hparams.learning_rate": 1e-3, "num_games": 64, "game": "hex:size=7"}`.

    Raises:
      ValueError: There is no such field, or a value is of the wrong type or out of range.
    """
    table = to_dict(config)
    algorithm = overrides.get("algorithm", config.train.algorithm)
    if algorithm in algorithm_names():  # others are refused below
        table["hparams"] |= unused_hyperparameters(algorithm)
    places = dict(_fields(table))
    for name, value in overrides.items():
        if name not in places:
            hint = did_you_mean(str(name), places, otherwise="`azjax train --help` lists the names")
            raise ValueError(f"no field is named {name!r}; {hint}")
        places[name][name.rpartition(".")[2]] = value
    return parse_value(RunConfig, table)


def values_by_flag(config: RunConfig) -> dict[str, Any]:
    """Returns the value of each field of a configuration, by the names that `override` takes."""
    return {name: table[name.rpartition(".")[2]] for name, table in _fields(to_dict(config))}


def _fields(table: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Yields the name of each field of nested tables, and the table that holds it."""
    for field, value in table.items():
        if isinstance(value, dict):
            yield from _fields(value, prefix if field == _UNPREFIXED else f"{prefix}{field}.")
        else:
            yield f"{prefix}{field}", table
