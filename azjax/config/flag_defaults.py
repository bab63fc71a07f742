"""What the flags of a training change: the preset, as far as its algorithm has it."""

import dataclasses

from azjax.config.flags import partial_parser
from azjax.config.run_config import RunConfig, unused_hyperparameters
from azjax.training import Hyperparameters, algorithm_names


def default_config(preset: RunConfig, arguments: list[str]) -> RunConfig:
    """Returns what flags change: the preset, without hyperparameters that --algorithm lacks."""
    parser = partial_parser()
    parser.add_argument("--algorithm", nargs="?")
    known, _ = parser.parse_known_args(arguments)
    if known.algorithm not in algorithm_names():
        return preset
    values = preset.hparams._asdict() | unused_hyperparameters(known.algorithm)
    return dataclasses.replace(preset, hparams=Hyperparameters(**values))
