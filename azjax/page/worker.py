"""The threads and devices that do the page's work, so that its event loop never waits."""

import asyncio
import collections
import contextlib
from collections.abc import Awaitable, Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from typing import Generic, ParamSpec, TypeVar

import jax

from azjax.support.machine.devices import use_virtual_cpu_devices
from azjax.support.machine.processor import usable_cores

_P = ParamSpec("_P")
_T = TypeVar("_T")


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
    """Returns the number of devices that search, the first ones: all but the rules' device."""
    devices = jax.devices()
    return max(1, len(devices) - (devices[-1] == rules_device()))


class Threads:
    """Some threads that call functions for coroutines, in the order of the calls."""

    def __init__(self, name: str, number: int, device: Callable[[], jax.Device] | None = None):
        """Starts no thread yet; `device` is the one that the functions compute on."""
        self._executor = ThreadPoolExecutor(number, thread_name_prefix=name)
        self._device, self._is_closed = device, False

    async def __call__(self, function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
        if self._is_closed:
            raise asyncio.CancelledError

        def call() -> _T:
            with jax.default_device(self._device()) if self._device else contextlib.nullcontext():
                return function(*args, **kwargs)

        return await asyncio.get_running_loop().run_in_executor(self._executor, call)

    def close(self) -> None:
        """Drops what is not begun, or is called later; the threads end what they are doing."""
        self._is_closed = True
        self._executor.shutdown(wait=False, cancel_futures=True)


class Worker:
    """One thread that searches, one for the rules, two that compile, and some for the rest.

    A batch of searches may take a second and a program half a minute to compile; meanwhile moves
    are played, boards rendered and networks loaded. A program that somebody waits for is not queued
    behind those that nobody waits for yet.
    """

    def __init__(self):
        self.search = Threads("search", 1)
        self.run_rules = Threads("rules", 1, rules_device)  # moves, positions, and boards
        self.compile = Threads("compile", 1)  # the programs of a search that somebody waits for
        self.compile_ahead = Threads("compile_ahead", 1)  # programs that nobody waits for yet
        self.load = Threads("load", 2)  # networks and solutions, and moves of those without search
        self.access_files = Threads("files", 4)  # and processes

    def close(self) -> None:
        """Closes all threads."""
        for threads in vars(self).values():
            threads.close()


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
