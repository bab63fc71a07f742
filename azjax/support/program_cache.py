"""The compiled programs of a process, each made once for equal arguments.

Only the last few of each function are kept, so that the memory of a long sweep stays flat.
"""

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar, cast

import jax

P = ParamSpec("P")
Program = TypeVar("Program")

_clear: list[Callable[[], None]] = []


def cache_programs(make_program: Callable[P, Program], *, most: int = 256) -> Callable[P, Program]:
    """Returns a function that makes a program once; its arguments are hashable."""
    cached = functools.lru_cache(most)(make_program)
    _clear.append(cached.cache_clear)
    return cast(Callable[P, Program], cached)


def clear_programs() -> None:
    """Drops all programs: those that name what is registered anew hold what it was before."""
    jax.clear_caches()
    for clear in _clear:
        clear()
