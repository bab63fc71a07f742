"""The front door of the functions that are called from Python."""

import contextlib
import functools
import inspect
import numbers
import textwrap
import types
import typing
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from azjax.support.errors import input_errors
from azjax.support.machine.devices import device_errors, use_all_cores
from azjax.support.machine.jax_settings import own_settings

P = ParamSpec("P")
Result = TypeVar("Result")
_PLAIN = (bool, int, float, str)


def front_door(function: Callable[P, Result]) -> Callable[P, Result]:
    """Returns a function that takes plain arguments, and computes by azjax's settings of JAX.

    Arguments are of the types of their annotations; see `plain` for numbers. Without the devices
    that JAX is told to use, it raises InputError.
    """

    @functools.wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> Result:
        signature, hints = _declaration(function)
        given = signature.bind(*args, **kwargs)
        with input_errors():
            for name, value in given.arguments.items():
                if name in hints:  # `self` has none
                    given.arguments[name] = _convert(hints[name], value, name)
        use_all_cores()
        with own_settings(), device_errors():
            return function(*given.args, **given.kwargs)

    return checked


@functools.cache
def _declaration(function: Callable) -> tuple[inspect.Signature, dict[str, Any]]:
    """Returns the signature and the annotations, which take longer to read than a short call."""
    return inspect.signature(function), typing.get_type_hints(function)


def _convert(hint: Any, value: Any, name: str) -> Any:
    """Returns an argument as one of the type in its annotation; raises ValueError if it is none."""
    is_union = typing.get_origin(hint) in (typing.Union, types.UnionType)
    hints = typing.get_args(hint) if is_union else [hint]
    kinds = [typing.get_origin(kind) or kind for kind in hints]
    others = tuple(kind for kind in kinds if kind not in _PLAIN)
    if typing.Literal in others or isinstance(value, others):  # the function checks the choice
        return value
    for kind in kinds:
        if kind in _PLAIN:
            return plain(kind, value, name)
    raise ValueError(f"{name}={shown(value)}: must be of type {others[0].__name__}")


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
