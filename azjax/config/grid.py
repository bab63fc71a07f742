"""Grids of runs: every combination of a seed and a value of each listed hyperparameter."""

import collections
import dataclasses
import itertools
from typing import Any, NamedTuple

from azjax.config.run_config import RunConfig
from azjax.training import Hyperparameters


class GridRun(NamedTuple):
    """One run of a grid."""

    name: str  # such as `learning_rate=0.003,seed=1`; empty if it is the only run
    config: RunConfig
    seed: int


def make_grid(config: RunConfig, seeds: range, lists: dict[str, list[float]]) -> list[GridRun]:
    """Returns a run for every combination of a seed and a value of each listed hyperparameter.

    Args:
      config: The configuration that the runs share.
      seeds: At least one.
      lists: Name of a hyperparameter, such as `learning_rate` or `search.c_puct`, to its values.

    Raises:
      ValueError: A value is out of range, or listed twice.
    """
    runs = []
    for values in itertools.product(*lists.values()):
        settings = dict(zip(lists, values, strict=True))
        hparams = config.hparams
        for name, value in settings.items():
            hparams = set_hyperparameter(hparams, name, value)
        run_config = dataclasses.replace(config, hparams=hparams)
        for seed in seeds:
            named = settings | ({"seed": seed} if len(seeds) > 1 else {})
            name = ",".join(f"{key}={_format(value)}" for key, value in named.items())
            runs.append(GridRun(name, run_config, seed))
    counts = collections.Counter(run.name for run in runs)
    duplicates = [name for name, count in counts.items() if count > 1]
    if duplicates:
        raise ValueError(f"{min(duplicates)}: is listed twice")
    return runs


def _format(value: float | int) -> str:
    return str(value) if isinstance(value, int) else f"{value:.9g}"


def set_hyperparameter(hparams: Hyperparameters, name: str, value: float) -> Hyperparameters:
    """Returns the hyperparameters with a new value of one, named like `search.c_puct`."""
    fields: dict[str, Any] = {name: value}
    group, _, field = name.rpartition(".")
    if group:
        fields = {group: getattr(hparams, group)._replace(**{field: value})}
    return hparams._replace(**fields)
