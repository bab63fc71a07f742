"""A duel: two programs timed in turn, each in new processes, and compared pair by pair."""

import json
import os
import statistics
import subprocess
from collections.abc import Sequence
from typing import Any

from azjax.support.errors import RunError, in_short

Numbers = dict[str, Any]

_SMALLER_IS_BETTER = ("first_result_s", "peak_rss_mb")
KEYS = (
    "simulations_per_s",
    "selfplay_moves_per_s",
    "samples_per_s",
    "updates_per_s",
    "network_evaluations_per_s",
    *_SMALLER_IS_BETTER,
)


def run_in_turn(
    own: Sequence[str], peer: Sequence[str], num_pairs: int
) -> list[tuple[Numbers, Numbers]]:
    """Runs two commands in turn, each alone on the machine; returns the numbers of both by pairs.

    The peer comes first, so that one that cannot run is told of at once.

    Raises:
      RunError: One of them failed, or its last line is not JSON of all keys.
    """
    pairs = []
    for _ in range(num_pairs):
        of_peer = _run(peer)
        pairs.append((_run(own), of_peer))
    return pairs


def ratios(pairs: list[tuple[Numbers, Numbers]]) -> dict[str, list[float]]:
    """Returns for each key how many times the second's the first's is, pair by pair.

    A time and a memory are the other way round, so that more is always better for the first.
    """
    return {
        key: [
            second[key] / first[key] if key in _SMALLER_IS_BETTER else first[key] / second[key]
            for first, second in pairs
        ]
        for key in KEYS
    }


def median_and_spread(values: list[float]) -> str:
    """Returns the median and the range, as a table has them."""
    return f"{statistics.median(values):.2f} ({min(values):.2f} to {max(values):.2f})"


def _run(command: Sequence[str]) -> Numbers:
    alone = os.environ | {"JAX_ENABLE_COMPILATION_CACHE": "false"}  # else nothing is first
    ended = subprocess.run(command, capture_output=True, text=True, check=False, env=alone)
    if ended.returncode:
        last = (ended.stderr.strip().splitlines() or [f"exit code {ended.returncode}"])[-1]
        missing = last.startswith(ModuleNotFoundError.__name__)
        hint = ": pip install '.[peers]'" if missing else ""
        raise RunError(f"{' '.join(command[:2])} failed: {last}{hint}")
    try:
        numbers = json.loads(ended.stdout.strip().splitlines()[-1])
    except (IndexError, ValueError) as error:
        raise RunError(
            f"the last line of {' '.join(command[:2])} is not JSON: {in_short(error)}"
        ) from error
    missing = [key for key in KEYS if key not in numbers]
    if missing:
        raise RunError(f"{' '.join(command[:2])} printed no {', '.join(missing)}")
    return numbers
