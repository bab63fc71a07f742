"""The runs of a population: a seed and a value of each listed hyperparameter for each of them."""

import dataclasses
import itertools
from typing import NamedTuple

from azjax.config.run_config import RunConfig
from azjax.training import Hyperparameters


class GridRun(NamedTuple):
    """One run of a population."""

    name: str  # such as `learning_rate=0.003,seed=1`; empty where there is but one run
    config: RunConfig
    seed: int


def make_grid(config: RunConfig, seeds: range, lists: dict[str, list[float]]) -> list[GridRun]:
    """Returns a run for every combination of a seed and a value of each listed hyperparameter.

    Args:
      config: What they have in common.
      seeds: At least one.
      lists: Values by the hyperparameter's name, such as `learning_rate` or `search.c_puct`.

    Raises:
      ValueError: A value is out of range, or listed twice.
    """
    runs = []
    for values in itertools.product(*lists.values()):
        settings = dict(zip(lists, values, strict=True))
        hparams = config.hparams
        for name, value in settings.items():
            hparams = set_number(hparams, name, value)
        of_settings = dataclasses.replace(config, hparams=hparams)
        for seed in seeds:
            named = settings | ({"seed": seed} if len(seeds) > 1 else {})
            name = ",".join(f"{key}={_format(value)}" for key, value in named.items())
            runs.append(GridRun(name, of_settings, seed))
    twice = {run.name for run in runs if sum(run.name == other.name for other in runs) > 1}
    if twice:
        raise ValueError(f"{min(twice)}: is listed twice")
    return runs


def _format(value: float | int) -> str:
    return str(value) if isinstance(value, int) else f"{value:.9g}"


def set_number(hparams: Hyperparameters, name: str, value: float) -> Hyperparameters:
    """Returns the hyperparameters with another value of one, named like `search.c_puct`."""
    first, _, rest = name.partition(".")
    inner = set_number(getattr(hparams, first), rest, value) if rest else value
    return hparams._replace(**{first: inner})
