"""Configurations as nested dicts, as which files hold them."""

import dataclasses
import typing
from typing import Any, Literal

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


def parse_value(kind: Any, values: Any, path: str = "") -> Any:
    """Returns a value of a type from what a file holds; fields left out have their defaults.

    Args:
      kind: A dataclass, a NamedTuple, or the type of a single value.
      values: What `to_dict` returned.
      path: The name of the value in errors.

    Raises:
      ValueError: A key is unknown, or a value is of the wrong type.
    """
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
            raise ValueError(f"unknown field {here!r}; {did_you_mean(name, types)}")
        fields[name] = parse_value(types[name], value, here)
    return kind(**fields)


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
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if type(value) is not kind:
        raise ValueError(f"{path}={value!r}: must be of type {kind.__name__}")
    return value


def _check_list(kind: Any, values: Any, path: str) -> tuple[Any, ...]:
    """Returns the items of a tuple, which is a list in files, each of one type."""
    if not isinstance(values, list | tuple):
        raise ValueError(f"{path}={values!r}: must be a list")
    return tuple(_check_type(kind, value, path) for value in values)
