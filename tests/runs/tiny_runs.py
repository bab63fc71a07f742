"""Runs of the coin game, and a progress that shows nothing."""

import dataclasses
import io

from rich.console import Console

from azjax.config.run_config import RunConfig
from azjax.evaluation import find_positions
from azjax.games import make
from azjax.runs.reporting.progress import TrainingProgress
from azjax.runs.storage.run_directory import RunDirectory
from azjax.runs.storage.run_folders import create_run
from azjax.runs.train import train_population


def make_coins_run(
    folder, config, limits, *, seed=0, shares=(), keep_all_networks=False, evaluate_every=1, **train
):
    """Makes a run of the coin game, by default one that is evaluated after every iteration.

    `train` are other values of the configuration of training.
    """
    config = dataclasses.replace(config, game="coins", **train)
    config = RunConfig(config, evaluate_every=evaluate_every, evaluation_simulations=2)
    directory = RunDirectory(
        folder,
        "coins",
        config,
        seed,
        1,
        limits,
        keep_all_networks=keep_all_networks,
        budget_shares=shares,
    )
    return create_run(directory)


def no_progress():
    """Returns a progress whose output is dropped."""
    return TrainingProgress(Console(file=io.StringIO()))


def train_run(run, progress, positions=None):
    """Trains a single run, by default on the positions of its game; returns its outcome."""
    outcomes = []
    train_population(
        iter([run]),
        1,
        lambda: positions or find_positions(make(run.config.train.game)),
        progress,
        on_end=lambda _, outcome: outcomes.append(outcome),
    )
    [outcome] = outcomes
    if outcome.error:
        raise outcome.error
    return outcome
