"""Times calls of compiled programs."""

import time
from collections.abc import Callable
from typing import Any

import jax


def seconds_of(call: Callable[[], Any]) -> float:
    """Returns the seconds of one call, until its result is computed."""
    began = time.perf_counter()
    jax.block_until_ready(call())
    return time.perf_counter() - began


def best_seconds(call: Callable[[], Any], repeats: int) -> float:
    """Returns the fewest seconds of several calls, after one that may compile."""
    seconds_of(call)
    return min(seconds_of(call) for _ in range(repeats))
