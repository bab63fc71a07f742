"""Hyperparameters of the cells of each search, from preset files such as a sweep's best.toml."""

import dataclasses
import pathlib
from collections.abc import Sequence

from azjax.config.nested_dicts import to_dict
from azjax.config.preset_file import read_preset
from azjax.config.run_config import RunConfig
from azjax.training import Hyperparameters


def read_tuned_hparams(
    entries: Sequence[str], algorithms: Sequence[str], base: RunConfig
) -> dict[str, Hyperparameters]:
    """Returns the hyperparameters of each search that has a file.

    A file may not change sizes, such as the network's: the searches would no longer be all that
    differs.

    Args:
      entries: Texts like puct=FILE.toml.
      algorithms: The searches that are compared.
      base: The configuration of all cells.

    Raises:
      ValueError: An entry is not of that form, or its file is wrong or changes more than
        hyperparameters and the search.
    """
    tuned: dict[str, Hyperparameters] = {}
    for entry in entries:
        algorithm, equals, path = entry.partition("=")
        if not (equals and path) or algorithm not in algorithms or algorithm in tuned:
            names = ", ".join(f"{name}=FILE.toml" for name in algorithms)
            raise ValueError(f"hparams={entry}: must be one of {names}, each once")
        config = read_preset(pathlib.Path(path)).config
        _check_sizes(path, algorithm, config, base)
        tuned[algorithm] = config.hparams
    return tuned


def _check_sizes(path: str, algorithm: str, config: RunConfig, base: RunConfig) -> None:
    """Raises ValueError where a file is for another search or other sizes than the base."""
    there = config.train.search.algorithm
    if there != algorithm:
        raise ValueError(f"hparams: {path} is for {there}, not for {algorithm}")
    train = dataclasses.replace(config.train, search=base.train.search)
    own, expected = to_dict(train), to_dict(base.train)
    for name in own:
        if own[name] != expected[name]:
            raise ValueError(
                f"hparams: {path} has {name}={own[name]}, and the preset {expected[name]}: "
                "only hyperparameters may differ"
            )
