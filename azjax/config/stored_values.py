"""Values as files hold them, checked against the types that they have in Python."""

import dataclasses
import typing
from typing import Any, Literal

from azjax.support.front_door import plain
from azjax.support.suggestions import did_you_mean


def parse_value(kind: Any, value: Any, path: str = "") -> Any:
    """Returns a value of a type from what a file holds; errors name it by its path.

    A type is of a single value, `tuple[ITEM, ...]`, `Literal`, or a dataclass of such fields, where
    fields left out have their defaults; or one of these or None.

    Raises:
      ValueError: It is of another type, or a field is unknown.
    """
    options = typing.get_args(kind)
    if type(None) in options:
        return None if value is None else parse_value(options[0], value, path)
    if dataclasses.is_dataclass(kind):
        return _parse_fields(kind, value, path)
    if typing.get_origin(kind) is Literal:
        return value  # the component checks the choices
    if typing.get_origin(kind) is tuple:
        if not isinstance(value, list | tuple):
            raise ValueError(f"{path}={value!r}: must be a list")
        return tuple(parse_value(options[0], item, path) for item in value)
    return plain(kind, value, path)


def _parse_fields(kind: Any, values: Any, path: str) -> Any:
    """Returns a dataclass from a table of its fields."""
    types = typing.get_type_hints(kind)
    if not isinstance(values, dict):
        raise ValueError(f"{path} must be a table of fields, not {values!r}")
    for name in values.keys() - types.keys():
        hint = did_you_mean(name, types, otherwise=f"there are {', '.join(types)}")
        raise ValueError(f"unknown field '{path}.{name}'; {hint}")
    fields = {name: parse_value(types[name], v, f"{path}.{name}") for name, v in values.items()}
    return kind(**fields)
