"""The threads that do the page's work, so that its event loop never waits."""

import asyncio
import functools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

import jax

from azjax.page.devices import rules_device

_P = ParamSpec("_P")
_T = TypeVar("_T")


class Worker:
    """One thread that searches, one for the rules, one that compiles, and some for the rest.

    A batch of searches may take a second and a program half a minute to compile; meanwhile moves
    are played, boards drawn and networks loaded.
    """

    def __init__(self):
        """Starts no thread yet."""
        self._searches = ThreadPoolExecutor(1, thread_name_prefix="search")
        self._rules = ThreadPoolExecutor(1, thread_name_prefix="rules")
        self._compiler = ThreadPoolExecutor(1, thread_name_prefix="compile")
        self._loaders = ThreadPoolExecutor(2, thread_name_prefix="load")
        self._files = ThreadPoolExecutor(4, thread_name_prefix="files")

    async def search(self, function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
        """Calls a function that searches: one at a time, in the order of the calls."""
        return await _call(self._searches, function, *args, **kwargs)

    async def run(self, function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
        """Calls a function that plays a few moves, reads positions or draws boards."""
        return await _call(self._rules, _on_rules_device(function), *args, **kwargs)

    async def compile(self, function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
        """Calls a function that compiles programs of searches."""
        return await _call(self._compiler, function, *args, **kwargs)

    async def load(self, function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
        """Calls a function that loads a network, solves a game, or asks a player or a solver."""
        return await _call(self._loaders, function, *args, **kwargs)

    async def read(self, function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
        """Calls a function that reads or writes files, or waits for a process."""
        return await _call(self._files, function, *args, **kwargs)

    def close(self) -> None:
        """Drops what is not begun; the threads end with what they are doing."""
        executors = self._searches, self._rules, self._compiler, self._loaders, self._files
        for executor in executors:
            executor.shutdown(wait=False, cancel_futures=True)


def _on_rules_device(function: Callable[_P, _T]) -> Callable[_P, _T]:
    def call(*args: _P.args, **kwargs: _P.kwargs) -> _T:
        with jax.default_device(rules_device()):
            return function(*args, **kwargs)

    return call


async def _call(
    executor: ThreadPoolExecutor, function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs
) -> _T:
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(executor, functools.partial(function, *args, **kwargs))
