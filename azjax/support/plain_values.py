"""Plain values of Python for those that mean the same, such as NumPy's numbers and 10.0."""

import numbers
import textwrap
from typing import Any


def plain(kind: Any, value: Any, name: str) -> Any:
    """Returns a value as one of a type of Python.

    A whole number of any type is an int, and a real number a float. A bool is no number, and a
    number no bool.

    Args:
      kind: bool, int, float, str or dict.
      value: The value, such as `np.int64(3)` or 1e3.
      name: Its name in errors.

    Raises:
      ValueError: It is not of that type.
    """
    given = value
    if getattr(value, "ndim", None) == 0:  # of NumPy or JAX
        value = value.item()
    if kind in (int, float):
        if isinstance(value, numbers.Real) and not isinstance(value, bool):
            try:
                converted = kind(value)
            except (ArithmeticError, ValueError):  # not finite, or too large
                converted = None
            if converted is not None and (kind is float or converted == value):
                return converted
    elif isinstance(value, kind):
        return kind(value)
    raise ValueError(f"{name}={shown(given)}: must be of type {kind.__name__}")


def shown(value: Any) -> str:
    """Returns a value as errors show it, in one line."""
    return textwrap.shorten(repr(value), 80, placeholder=" ...")
