"""Plain values of Python for those that mean the same, such as NumPy's numbers and 10.0."""

import contextlib
import numbers
import textwrap
from typing import Any


def plain(kind: Any, value: Any, name: str) -> Any:
    """Returns a value, such as `np.int64(3)` or 1e3, as one of bool, int, float, str or dict.

    A whole number of any type is an int, and a real number a float. A bool is no number, and a
    number no bool. Raises ValueError, with the value's name, if it is not of that kind.
    """
    given = value
    if getattr(value, "ndim", None) == 0:  # of NumPy or JAX
        value = value.item()
    is_number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if is_number if kind in (int, float) else isinstance(value, kind):
        with contextlib.suppress(ArithmeticError, ValueError):  # not finite, or too large
            if kind is not int or int(value) == value:
                return kind(value)
    raise ValueError(f"{name}={shown(given)}: must be of type {kind.__name__}")


def shown(value: Any) -> str:
    """Returns a value as errors show it, in one line."""
    return textwrap.shorten(repr(value), 80, placeholder=" ...")
