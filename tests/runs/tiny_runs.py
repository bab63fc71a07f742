"""Runs of the coin game, and a progress that shows nothing."""

import dataclasses
import io

from rich.console import Console

from azjax.config.run_config import RunConfig
from azjax.runs.reporting.progress import TrainingProgress
from azjax.runs.storage.run_directory import RunDirectory
from azjax.runs.storage.run_folders import create_run


def make_coins_run(
    folder, config, limits, *, seed=0, shares=(), keep_all_networks=False, evaluate_every=1, **train
):
    """Makes a run of the coin game, by default one that is evaluated after every iteration.

    `train` are other values of the configuration of training.
    """
    config = dataclasses.replace(config, game="coins", **train)
    config = RunConfig(config, evaluate_every=evaluate_every, evaluation_simulations=2)
    directory = RunDirectory(
        folder, "coins", config, seed, 1, limits, keep_all_networks=keep_all_networks
    )
    return create_run(directory, shares)


def no_progress():
    """Returns a progress whose output is dropped."""
    return TrainingProgress(Console(file=io.StringIO()))
