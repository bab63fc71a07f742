"""The functions of a game, compiled once where they are called outside `jit`."""

import functools
import weakref
from collections.abc import Callable
from typing import Any

import jax

from azjax.support.machine.target import device_elsewhere
from azjax.support.program_cache import cache_programs

# All that take a state or a key, and can be traced; the others are for the host.
_TRACED = (
    "init",
    "step",
    "legal_action_mask",
    "observe",
    "ownership",
    "lead",
    "without_move_count",
)

# Not attributes of the functions: functools.wraps would copy them to a decorator's.
_uncompiled: weakref.WeakKeyDictionary[Callable, Callable] = weakref.WeakKeyDictionary()


def compile_methods(game: type) -> None:
    """Replaces the functions of JAX that a class of games defines by compiled ones.

    Control flow that is called outside `jit` compiles anew at every call. Inside `jit` the calls
    are inlined, so they change no program.
    """
    for name in _TRACED:
        method = vars(game).get(name)
        if method is not None and not getattr(method, "__isabstractmethod__", False):
            setattr(game, name, _compile_calls(method))


def _compile_calls(method: Callable) -> Callable:
    @functools.wraps(method)
    def call(game: Any, *arguments: Any, **named: Any) -> Any:
        return _compile(method, game, device_elsewhere())(*arguments, **named)

    # A class may be made twice, as by slots=True of a dataclass.
    _uncompiled[call] = _uncompiled.get(method, method)
    return call


def uncompiled(game: Any, name: str) -> Callable:
    """Returns a method as the game's author wrote it: each use traces it anew."""
    method = getattr(type(game), name)
    return functools.partial(_uncompiled.get(method, method), game)


@cache_programs
def _compile(method: Callable, game: Any, elsewhere: jax.Device | None) -> Callable:
    """Returns the method of a game; what it traces depends on the target."""
    del elsewhere

    def traced(*arguments: Any, **named: Any) -> Any:
        with jax.numpy_dtype_promotion("standard"):  # when it is traced: a call costs no more
            return method(game, *arguments, **named)

    return jax.jit(traced, inline=True)
