"""The threads and devices that do the page's work, so that its event loop never waits."""

import asyncio
import collections
import contextlib
import functools
from collections.abc import Awaitable, Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from typing import Generic, ParamSpec, TypeVar

import jax

from azjax.support.machine.devices import use_virtual_cpu_devices
from azjax.support.machine.processor import usable_cores

_P = ParamSpec("_P")
_T = TypeVar("_T")
_THREADS = {"search": 1, "rules": 1, "compile": 1, "compile_ahead": 1, "load": 2, "files": 4}


def add_rules_device() -> None:
    """Adds a virtual CPU device for the rules, unless a plug-in has started JAX.

    A device computes one thing after another, so that a move on a device that searches would wait
    for the whole batch.
    """
    with contextlib.suppress(RuntimeError):  # it has
        use_virtual_cpu_devices(usable_cores() + 1)


def rules_device() -> jax.Device:
    """Returns the device of the rules: the last of the CPU."""
    return jax.devices("cpu")[-1]


def num_search_devices() -> int:
    """Returns the number of devices that search, the first ones: all but that of the rules."""
    devices = jax.devices()
    return max(1, len(devices) - (devices[-1] == rules_device()))


class Worker:
    """One thread that searches, one for the rules, two that compile, and some for the rest.

    A batch of searches may take a second and a program half a minute to compile; meanwhile moves
    are played, boards rendered and networks loaded. A program that somebody waits for is not queued
    behind those that nobody waits for yet.
    """

    def __init__(self):
        """Starts no thread yet."""
        self._is_closed = False
        self._executors = {
            name: ThreadPoolExecutor(number, thread_name_prefix=name)
            for name, number in _THREADS.items()
        }

    async def search(self, function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
        """Calls a function that searches: one at a time, in the order of the calls."""
        return await self._call("search", function, *args, **kwargs)

    async def run_rules(
        self, function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs
    ) -> _T:
        """Calls a function that plays a few moves, reads positions or renders boards."""
        return await self._call("rules", _on_rules_device(function), *args, **kwargs)

    async def compile(self, function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
        """Calls a function that compiles the programs of a search that somebody waits for."""
        return await self._call("compile", function, *args, **kwargs)

    async def compile_ahead(
        self, function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs
    ) -> _T:
        """Calls a function that compiles programs that nobody waits for yet."""
        return await self._call("compile_ahead", function, *args, **kwargs)

    async def load(self, function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
        """Calls a function that loads a network, solves a game, or asks a player or a solver."""
        return await self._call("load", function, *args, **kwargs)

    async def access_files(
        self, function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs
    ) -> _T:
        """Calls a function that reads or writes files, or waits for a process."""
        return await self._call("files", function, *args, **kwargs)

    def close(self) -> None:
        """Drops what is not begun, or is called later; the threads end what they are doing."""
        self._is_closed = True
        for executor in self._executors.values():
            executor.shutdown(wait=False, cancel_futures=True)

    async def _call(
        self, threads: str, function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs
    ) -> _T:
        if self._is_closed:
            raise asyncio.CancelledError
        call = functools.partial(function, *args, **kwargs)
        return await asyncio.get_running_loop().run_in_executor(self._executors[threads], call)


def _on_rules_device(function: Callable[_P, _T]) -> Callable[_P, _T]:
    def call(*args: _P.args, **kwargs: _P.kwargs) -> _T:
        with jax.default_device(rules_device()):
            return function(*args, **kwargs)

    return call


class SharedResults(Generic[_T]):
    """Results that all share who ask for the same one; each is made once, whoever waits for it."""

    def __init__(self, most: int):
        """Keeps so many; the one that was asked for longest ago is dropped."""
        self._most = most
        self.results: collections.OrderedDict[Hashable, asyncio.Future[_T]] = (
            collections.OrderedDict()
        )

    async def get(self, key: Hashable, make: Callable[[], Awaitable[_T]]) -> _T:
        """Returns the result of a key; a failed one is made again by who asks next."""
        if key not in self.results:
            self.results[key] = asyncio.ensure_future(make())
            while len(self.results) > self._most:
                self.results.popitem(last=False)
        self.results.move_to_end(key)
        result = self.results[key]
        try:
            return await asyncio.shield(result)
        except Exception:
            if self.results.get(key) is result:  # else somebody has tried again already
                del self.results[key]
            raise
