"""Configurations as nested dicts, as which files hold them."""

import dataclasses
import functools
import typing
from collections.abc import Sequence
from typing import Any, Literal

from azjax.support.plain_values import plain
from azjax.support.suggestions import did_you_mean


def has_fields(kind: Any) -> bool:
    """Tells whether a type is a dataclass or a NamedTuple."""
    return dataclasses.is_dataclass(kind) or hasattr(kind, "_fields")


def to_dict(config: Any) -> Any:
    """Returns a configuration of nested dataclasses and NamedTuples as nested dicts."""
    if dataclasses.is_dataclass(config):
        config = {f.name: getattr(config, f.name) for f in dataclasses.fields(config)}
    elif hasattr(config, "_asdict"):
        config = config._asdict()
    else:
        return config
    return {name: to_dict(value) for name, value in config.items()}


def parse_value(kind: Any, values: Any, path: str = "", others: Sequence[str] = ()) -> Any:
    """Returns a value of a type from what a file holds; fields left out have their defaults.

    Args:
      kind: A dataclass, a NamedTuple, or the type of a single value.
      values: What `to_dict` returned.
      path: The name of the value in errors.
      others: Fields that the file has besides, which the hint on an unknown one names too.

    Raises:
      ValueError: A key is unknown, or a value is of the wrong type.
    """

    def parse(kind: Any, values: Any, path: str, others: Sequence[str] = ()) -> Any:
        if values is not None:
            kind = _without_none(kind)
        if not has_fields(kind):
            return _check_type(kind, values, path)
        types = typing.get_type_hints(kind)
        if not isinstance(values, dict):
            raise ValueError(f"{path or 'configuration'} must be a table of fields, not {values!r}")
        fields = {}
        for name, value in values.items():
            here = f"{path}.{name}" if path else name
            if name not in types:
                raise ValueError(f"unknown field {here!r}; {hint(here, [*others, *types])}")
            fields[name] = parse(types[name], value, here)
        return kind(**fields)

    def hint(name: str, of_table: Sequence[str]) -> str:
        known = [*others, *(f"{path}.{x}" if path else x for x in field_names(kind))]
        return did_you_mean(name, known, otherwise=f"there are {', '.join(of_table)}")

    return parse(kind, values, path, others)


@functools.cache
def field_names(kind: Any) -> tuple[str, ...]:
    """Returns the fields of a dataclass or a NamedTuple, and of each the own, by dotted names."""
    names = []
    for name, hint in typing.get_type_hints(kind).items():
        names.append(name)
        inner = _without_none(hint)
        if has_fields(inner):
            names += [f"{name}.{field}" for field in field_names(inner)]
    return tuple(names)


def _without_none(kind: Any) -> Any:
    """Returns the type of a value that is not None."""
    parts = typing.get_args(kind)
    return parts[0] if type(None) in parts else kind


def _check_type(kind: Any, value: Any, path: str) -> Any:
    is_none = value is None and type(None) in typing.get_args(kind)
    if typing.get_origin(kind) is Literal or is_none:
        return value  # the dataclass checks the choices of a Literal
    if typing.get_origin(kind) is tuple:
        return _check_list(typing.get_args(kind)[0], value, path)
    return plain(kind, value, path)


def _check_list(kind: Any, values: Any, path: str) -> tuple[Any, ...]:
    """Returns the items of a tuple, which is a list in files, each of one type."""
    if not isinstance(values, list | tuple):
        raise ValueError(f"{path}={values!r}: must be a list")
    return tuple(_check_type(kind, value, path) for value in values)
