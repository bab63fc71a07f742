"""The threads that do the page's work, so that its event loop never waits."""

import asyncio
import functools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

_P = ParamSpec("_P")
_T = TypeVar("_T")


class Worker:
    """One thread that executes JAX, one that compiles for it, and some that read files.

    A program is compiled in a thread of its own, because it may take half a minute, in which the
    searches of others go on.
    """

    def __init__(self):
        """Starts no thread yet."""
        self._jax = ThreadPoolExecutor(1, thread_name_prefix="jax")
        self._compiler = ThreadPoolExecutor(1, thread_name_prefix="compile")
        self._files = ThreadPoolExecutor(4, thread_name_prefix="files")

    async def run(self, function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
        """Calls a function that executes JAX: one at a time, in the order of the calls."""
        return await _call(self._jax, function, *args, **kwargs)

    async def compile(self, function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
        """Calls a function that compiles programs, and loads the networks for them."""
        return await _call(self._compiler, function, *args, **kwargs)

    async def read(self, function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
        """Calls a function that reads or writes files, or waits for a process."""
        return await _call(self._files, function, *args, **kwargs)

    def close(self) -> None:
        """Drops what is not begun; the threads end with what they are doing."""
        for executor in (self._jax, self._compiler, self._files):
            executor.shutdown(wait=False, cancel_futures=True)


async def _call(
    executor: ThreadPoolExecutor, function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs
) -> _T:
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(executor, functools.partial(function, *args, **kwargs))
