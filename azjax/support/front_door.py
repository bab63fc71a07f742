"""The front door of the functions that are called from Python."""

import functools
import inspect
import types
import typing
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from azjax.support.errors import input_errors
from azjax.support.machine.devices import device_errors, use_all_cores
from azjax.support.machine.jax_settings import own_settings
from azjax.support.plain_values import plain, shown

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
