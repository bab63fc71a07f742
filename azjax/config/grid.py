"""Grids of runs: every combination of a seed and a value of each listed number."""

import itertools
from typing import NamedTuple

from azjax.config.fields import with_fields
from azjax.config.run_config import RunConfig
from azjax.support.validation import check_distinct


class GridRun(NamedTuple):
    """One run of a grid."""

    name: str  # such as `optimizer.learning_rate=0.003,seed=1`; empty if it is the only run
    config: RunConfig
    seed: int


def make_grid(config: RunConfig, seeds: range, lists: dict[str, list[float]]) -> list[GridRun]:
    """Returns a run for every combination of a seed and a value of each listed number.

    Raises:
      ValueError: A value is out of range, or listed twice.
    """
    runs = []
    for values in itertools.product(*lists.values()):
        settings = dict(zip(lists, values, strict=True))
        run_config = with_fields(config, settings)
        for seed in seeds:
            named = settings | ({"seed": seed} if len(seeds) > 1 else {})
            name = ",".join(f"{key}={_format(value)}" for key, value in named.items())
            runs.append(GridRun(name, run_config, seed))
    check_distinct("runs", [run.name for run in runs])
    return runs


def _format(value: float | int) -> str:
    return str(value) if isinstance(value, int) else f"{value:.9g}"
