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
    """One thread that searches, one for the rules, two that compile, and some for the rest.

    A batch of searches may take a second and a program half a minute to compile; meanwhile moves
    are played, boards rendered and networks loaded. A program that somebody waits for is not queued
    behind those that nobody waits for yet.
    """

    def __init__(self):
        """Starts no thread yet."""
        self._is_closed = False
        self._searches = ThreadPoolExecutor(1, thread_name_prefix="search")
        self._rules = ThreadPoolExecutor(1, thread_name_prefix="rules")
        self._compiler = ThreadPoolExecutor(1, thread_name_prefix="compile")
        self._ahead = ThreadPoolExecutor(1, thread_name_prefix="compile_ahead")
        self._loaders = ThreadPoolExecutor(2, thread_name_prefix="load")
        self._files = ThreadPoolExecutor(4, thread_name_prefix="files")

    async def search(self, function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
        """Calls a function that searches: one at a time, in the order of the calls."""
        return await self._call(self._searches, function, *args, **kwargs)

    async def run_rules(
        self, function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs
    ) -> _T:
        """Calls a function that plays a few moves, reads positions or renders boards."""
        return await self._call(self._rules, _on_rules_device(function), *args, **kwargs)

    async def compile(self, function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
        """Calls a function that compiles the programs of a search that somebody waits for."""
        return await self._call(self._compiler, function, *args, **kwargs)

    async def compile_ahead(
        self, function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs
    ) -> _T:
        """Calls a function that compiles programs that nobody waits for yet."""
        return await self._call(self._ahead, function, *args, **kwargs)

    async def load(self, function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
        """Calls a function that loads a network, solves a game, or asks a player or a solver."""
        return await self._call(self._loaders, function, *args, **kwargs)

    async def access_files(
        self, function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs
    ) -> _T:
        """Calls a function that reads or writes files, or waits for a process."""
        return await self._call(self._files, function, *args, **kwargs)

    def close(self) -> None:
        """Drops what is not begun, or is called later; the threads end what they are doing."""
        self._is_closed = True
        compilers = self._compiler, self._ahead
        for executor in (self._searches, self._rules, *compilers, self._loaders, self._files):
            executor.shutdown(wait=False, cancel_futures=True)

    async def _call(
        self,
        executor: ThreadPoolExecutor,
        function: Callable[_P, _T],
        *args: _P.args,
        **kwargs: _P.kwargs,
    ) -> _T:
        if self._is_closed:
            raise asyncio.CancelledError
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(executor, functools.partial(function, *args, **kwargs))


def _on_rules_device(function: Callable[_P, _T]) -> Callable[_P, _T]:
    def call(*args: _P.args, **kwargs: _P.kwargs) -> _T:
        with jax.default_device(rules_device()):
            return function(*args, **kwargs)

    return call
