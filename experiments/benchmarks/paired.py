"""A paired benchmark: programs run in turn, each in new processes, compared round by round."""

import dataclasses
import json
import os
import statistics
import subprocess
from collections.abc import Sequence
from typing import Any

from azjax.support.errors import InputError, RunError, first_line

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


@dataclasses.dataclass(frozen=True)
class Program:
    """A command whose last line of output is JSON with `KEYS`, and with `devices`, their number."""

    command: Sequence[str]
    num_devices: int | None = None  # of JAX; None: all, a CPU split as the program splits it

    def run(self) -> Numbers:
        """Returns its numbers; raises InputError for lack of a package, RunError if it fails."""
        name = " ".join(self.command[:2])
        done = subprocess.run(
            self.command, capture_output=True, text=True, check=False, env=self._environment()
        )
        if done.returncode:
            last = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
            if last.startswith(ModuleNotFoundError.__name__):
                raise InputError(f"{name} failed: {last}: pip install '.[peers]'")
            raise RunError(f"{name} failed: {last}")
        try:
            numbers = dict(json.loads(done.stdout.strip().splitlines()[-1]))
        except (IndexError, TypeError, ValueError) as error:
            raise RunError(f"the last line of {name} is no JSON: {first_line(error)}") from error
        missing = [key for key in ("devices", *KEYS) if key not in numbers]
        if missing:
            raise RunError(f"{name} printed no {', '.join(missing)}")
        return numbers

    def _environment(self) -> dict[str, str]:
        # With the cache, the first result would not include compilation.
        environment = os.environ | {"JAX_ENABLE_COMPILATION_CACHE": "false"}
        if self.num_devices is None:
            return environment
        return environment | {
            "JAX_NUM_CPU_DEVICES": str(self.num_devices),
            "JAX_CUDA_VISIBLE_DEVICES": ",".join(map(str, range(self.num_devices))),
        }


def speed_by_devices(trial: Program) -> dict[int, float]:
    """Returns the positions per second of a loop on all devices, and on each lower power of two.

    The loop plays each position and trains on it once.
    """

    def run(num_devices: int | None) -> tuple[int, float]:
        numbers = dataclasses.replace(trial, num_devices=num_devices).run()
        seconds = 1 / numbers["selfplay_moves_per_s"] + 1 / numbers["samples_per_s"]
        return numbers["devices"], 1 / seconds

    most, speed = run(None)
    fewer = [2**i for i in range((most - 1).bit_length())]
    return dict([*map(run, fewer), (most, speed)])


def run_in_turn(programs: Sequence[Program], num_rounds: int) -> list[list[Numbers]]:
    """Runs programs in turn, each alone on the machine; returns their numbers by round."""
    return [[program.run() for program in programs] for _ in range(num_rounds)]


def medians(rounds: Sequence[Numbers]) -> Numbers:
    """Returns the median of each key over the rounds of one program."""
    return {key: round(statistics.median(numbers[key] for numbers in rounds), 3) for key in KEYS}


def ratios(own: Sequence[Numbers], peer: Sequence[Numbers]) -> dict[str, list[float]]:
    """Returns for each key the ratio own / peer of each round.

    For a time or a memory it is peer / own, so that a higher ratio is always better.
    """
    return {
        key: [
            theirs[key] / ours[key] if key in _SMALLER_IS_BETTER else ours[key] / theirs[key]
            for ours, theirs in zip(own, peer, strict=True)
        ]
        for key in KEYS
    }


def median_and_spread(values: list[float]) -> str:
    """Returns the median and the range as text."""
    return f"{statistics.median(values):.2f} ({min(values):.2f} to {max(values):.2f})"
