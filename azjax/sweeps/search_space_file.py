"""Search-space files: TOML with ranges, choices and fixed values of a sweep's fields.

evaluate_every = 5

[hparams]
learning_rate = {low = 1e-3, high = 1e-2}   # on the declared scale, unless log = true or false
search.gumbel_scale = 1.0                   # fixed

[train]
num_updates = [8, 16]
network.channels = [64, 128]
"""

import pathlib
import typing
from collections.abc import Iterator, Sequence
from typing import Any

from azjax.config.nested_dicts import field_names, has_fields
from azjax.config.run_config import RunConfig, unused_hyperparameters
from azjax.support.files.bounded_files import read_toml
from azjax.support.ranges import Range
from azjax.support.suggestions import did_you_mean
from azjax.sweeps.search_space import ALGORITHM, Space, Values, declared_space, is_unused, value_of

_SIMULATIONS = "train.search.num_simulations"
_BOUNDS = ("low", "high", "log")


def make_space(config: RunConfig, path: pathlib.Path | None) -> Space:
    """Returns the search space around a configuration: the declared one, changed by a file.

    Raises:
      ValueError: The file cannot be read, or a field in it is wrong.
    """
    if path is None:
        return _make_space(config, {})
    try:
        return _make_space(config, _read(path))
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


def _read(path: pathlib.Path) -> Values:
    return dict(_fields(read_toml(path), RunConfig))


def _fields(table: Any, kind: type, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yields the name and the entry of each field in a table."""
    types = typing.get_type_hints(kind)
    for key, value in table.items():
        name, dot, rest = key.partition(".")
        value = {rest: value} if dot else value
        full_name = f"{path}.{name}" if path else name
        if name not in types:
            there = f"there are {', '.join(types)}"
            hint = did_you_mean(full_name, field_names(RunConfig), otherwise=there)
            raise ValueError(f"unknown field {full_name!r}; {hint}")
        if not has_fields(types[name]):
            yield full_name, value
        elif isinstance(value, dict):
            yield from _fields(value, types[name], full_name)
        else:
            raise ValueError(f"{full_name} must be a table of fields, not {value!r}")


def _make_space(config: RunConfig, entries: Values) -> Space:
    fixed = {name: v for name, v in entries.items() if not isinstance(v, dict | list)}
    base = Space(config, {}, {}).config(fixed)
    choices = {name: _choices(name, v) for name, v in entries.items() if isinstance(v, list)}
    configs = list(Space(base, {}, choices).combinations())
    for name in choices:
        _first_with(configs, name)  # raises ValueError where it is unused
    ranges = {
        name: _range(_first_with(configs, name), name, v)
        for name, v in entries.items()
        if isinstance(v, dict)
    }
    declared = {
        name: range_
        for name, range_ in declared_space().items()
        if name not in entries and not all(is_unused(name, config.train) for config in configs)
    }
    return Space(base, declared | ranges, choices)


def _first_with(configs: Sequence[RunConfig], name: str) -> RunConfig:
    """Returns the first of the configurations that uses a field.

    Raises:
      ValueError: None uses it.
    """
    for config in configs:
        if not is_unused(name, config.train):
            return config
    raise ValueError(f"{name}: {_why_unused(name, configs)}")


def _why_unused(name: str, configs: Sequence[RunConfig]) -> str:
    if name.startswith("hparams.search."):
        searches = dict.fromkeys(config.train.search.algorithm for config in configs)
        return f"a {' or '.join(searches)} search does not use it"
    algorithms = dict.fromkeys(config.train.algorithm for config in configs)
    if all(name.removeprefix("hparams.") in unused_hyperparameters(a) for a in algorithms):
        return f"algorithm {' or '.join(algorithms)} has no such hyperparameter"
    return "the network has no such auxiliary head"


def _choices(name: str, values: list[Any]) -> tuple[Any, ...]:
    if not name.startswith(("train.", "hparams.")) or name == "train.game":
        raise ValueError(f"{name}: all trials are evaluated alike, so give one value, not a list")
    if name.startswith("train.search.") and name not in (ALGORITHM, _SIMULATIONS):
        raise ValueError(
            f"{name}: the search that evaluates all trials has it too, so give one value, not a "
            "list"
        )
    if not values:
        raise ValueError(f"{name}: the list of its choices is empty")
    if any(value in values[:i] for i, value in enumerate(values)):
        raise ValueError(f"{name}={values}: a choice is there twice")
    return tuple(values)


def _range(base: RunConfig, name: str, table: dict[str, Any]) -> Range:
    if not name.startswith("hparams."):
        raise ValueError(f"{name}: a size is compiled in, so list its choices: [8, 16]")
    for key in table:
        if key not in _BOUNDS:
            raise ValueError(f"{name}: unknown bound {key!r}; {did_you_mean(key, _BOUNDS)}")
    if not {"low", "high"} <= table.keys():
        raise ValueError(f"{name}: a range is {{low = ..., high = ...}}, with log = true or false")
    low, high = (_convert(base, name, table[bound]) for bound in ("low", "high"))
    declared = declared_space().get(name)
    log = table.get("log", declared is not None and declared.log)
    if not isinstance(log, bool):
        raise ValueError(f"{name}: log={log!r} must be true or false")
    try:
        return Range(low, high, log)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error


def _convert(base: RunConfig, name: str, value: Any) -> Any:
    """Returns the value as the configuration stores it, or raises ValueError."""
    return value_of(Space(base, {}, {}).config({name: value}), name)
