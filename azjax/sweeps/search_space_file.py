"""A TOML file that narrows the space: ranges, choices, and values that are given.

evaluate_every = 5

[hparams]
learning_rate = {low = 1e-3, high = 1e-2}   # on its declared scale; log = true or false else
search.gumbel_scale = 1.0                   # not drawn

[train]
num_updates = [8, 16]
network.channels = [64, 128]
"""

import dataclasses
import pathlib
import tomllib
import typing
from collections.abc import Iterator
from typing import Any

from azjax.config.run_config import RunConfig
from azjax.support.ranges import Range
from azjax.support.suggestions import did_you_mean
from azjax.sweeps.search_space import ALGORITHM, Space, Values, declared_space, is_unused, value_of

_BOUNDS = ("low", "high", "log")


def make_space(config: RunConfig, path: pathlib.Path | None) -> Space:
    """Returns the declared space around a configuration, narrowed by a file if there is one.

    Raises:
      ValueError: The file cannot be read, or asks for what cannot be.
    """
    if path is None:
        return _narrow(config, {})
    try:
        return _narrow(config, _read(path))
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


def _read(path: pathlib.Path) -> Values:
    with path.open("rb") as file:
        return dict(_fields(tomllib.load(file), RunConfig))


def _fields(table: Any, kind: type, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yields the name of each field that a table is about, and what it says of it."""
    types = typing.get_type_hints(kind)
    for key, value in table.items():
        name, dot, rest = key.partition(".")
        value = {rest: value} if dot else value
        here = f"{path}.{name}" if path else name
        if name not in types:
            raise ValueError(f"unknown field {here!r}; {did_you_mean(name, types)}")
        if not _has_fields(types[name]):
            yield here, value
        elif isinstance(value, dict):
            yield from _fields(value, types[name], here)
        else:
            raise ValueError(f"{here} must be a table of fields, not {value!r}")


def _has_fields(kind: Any) -> bool:
    return dataclasses.is_dataclass(kind) or hasattr(kind, "_fields")


def _narrow(config: RunConfig, said: Values) -> Space:
    given = {name: v for name, v in said.items() if not isinstance(v, dict | list)}
    base = Space(config, {}, {}).config(given)
    choices = {name: _choices(name, v) for name, v in said.items() if isinstance(v, list)}
    algorithms = choices.get(ALGORITHM, (base.train.search.algorithm,))
    if (
        ALGORITHM in choices and base.evaluation_algorithm is None
    ):  # else each trial would be measured by its own
        base = dataclasses.replace(base, evaluation_algorithm=base.train.search.algorithm)
    narrowed = {name: _range(base, name, v) for name, v in said.items() if isinstance(v, dict)}
    for name in (*narrowed, *choices):
        if is_unused(name, algorithms):
            raise ValueError(f"{name}: a {' or '.join(algorithms)} search does not use it")
    kept = {
        name: range_
        for name, range_ in declared_space().items()
        if name not in said and not is_unused(name, algorithms)
    }
    space = Space(base, kept | narrowed, choices)
    for _ in space.combinations():  # which raises where one cannot be
        pass
    return space


def _choices(name: str, values: list[Any]) -> tuple[Any, ...]:
    if not name.startswith(("train.", "hparams.")) or name == "train.game":
        raise ValueError(f"{name}: all trials are measured alike, so give it one value, not a list")
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
    low, high = (_accept(base, name, table[bound]) for bound in ("low", "high"))
    declared = declared_space().get(name)
    log = table.get("log", declared is not None and declared.log)
    if not isinstance(log, bool):
        raise ValueError(f"{name}: log={log!r} must be true or false")
    try:
        return Range(low, high, log)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error


def _accept(base: RunConfig, name: str, value: Any) -> Any:
    """Returns the value as the configuration holds it, or raises ValueError."""
    return value_of(Space(base, {}, {}).config({name: value}), name)
