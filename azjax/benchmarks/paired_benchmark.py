"""A paired benchmark: two programs run in turn, each in new processes, compared pair by pair."""

import json
import os
import statistics
import subprocess
from collections.abc import Sequence
from typing import Any

from azjax.support.errors import RunError, first_line

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
    """Runs two commands in turn, each alone on the machine; returns pairs (own, peer) of numbers.

    The peer runs first, so that a peer that fails is reported at once.

    Raises:
      RunError: A command failed, or its last line is not JSON with all keys.
    """
    pairs = []
    for _ in range(num_pairs):
        peer_numbers = _run(peer)
        pairs.append((_run(own), peer_numbers))
    return pairs


def ratios(pairs: list[tuple[Numbers, Numbers]]) -> dict[str, list[float]]:
    """Returns for each key the ratio own / peer of each pair.

    For a time or a memory it is peer / own, so that a higher ratio is always better.
    """
    return {
        key: [
            peer[key] / own[key] if key in _SMALLER_IS_BETTER else own[key] / peer[key]
            for own, peer in pairs
        ]
        for key in KEYS
    }


def median_and_spread(values: list[float]) -> str:
    """Returns the median and the range as text."""
    return f"{statistics.median(values):.2f} ({min(values):.2f} to {max(values):.2f})"


def _run(command: Sequence[str]) -> Numbers:
    # With the cache, the first result would not include compilation.
    environment = os.environ | {"JAX_ENABLE_COMPILATION_CACHE": "false"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if done.returncode:
        last = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
        needs_peers = last.startswith(ModuleNotFoundError.__name__)
        hint = ": pip install '.[peers]'" if needs_peers else ""
        raise RunError(f"{' '.join(command[:2])} failed: {last}{hint}")
    try:
        numbers = json.loads(done.stdout.strip().splitlines()[-1])
    except (IndexError, ValueError) as error:
        raise RunError(
            f"the last line of {' '.join(command[:2])} is not JSON: {first_line(error)}"
        ) from error
    missing = [key for key in KEYS if key not in numbers]
    if missing:
        raise RunError(f"{' '.join(command[:2])} printed no {', '.join(missing)}")
    return numbers
