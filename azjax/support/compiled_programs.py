"""Compiled programs that a process keeps: the last few of each kind, so that memory stays flat."""

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

import jax

_Arguments = ParamSpec("_Arguments")
_Program = TypeVar("_Program")

_forget: list[Callable[[], None]] = []


def keep_programs(
    num_programs: int,
) -> Callable[[Callable[_Arguments, _Program]], Callable[_Arguments, _Program]]:
    """Decorates a function of hashable arguments that compiles, whose last results are kept."""

    def decorate(compile_program: Callable[_Arguments, _Program]):
        kept = functools.lru_cache(num_programs)(compile_program)
        _forget.append(kept.cache_clear)
        return kept

    return decorate


def forget_programs() -> None:
    """Drops all programs: those that name what is registered anew hold what it was before."""
    jax.clear_caches()
    for forget in _forget:
        forget()
