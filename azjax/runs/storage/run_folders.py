"""Runs on disk: how their folders are created, found, owned and opened."""

import contextlib
import dataclasses
import pathlib

from azjax.games.laws.check import check_plugin_game
from azjax.runs.replay_file import read_replay
from azjax.runs.storage.metrics_log import read_metrics
from azjax.runs.storage.network_history import NetworkHistory
from azjax.runs.storage.run_description import (
    DESCRIPTION,
    check_network_version,
    describe,
    parse_description,
    read_description,
    write_description,
)
from azjax.runs.storage.run_directory import InitialNetwork, RunDirectory
from azjax.support.errors import InputError, input_errors, reading_errors, writing_errors
from azjax.support.files.ownership import owned
from azjax.support.plugins import load_plugin
from azjax.support.suggestions import nearest
from azjax.training import check_part_states


def create_run(run: RunDirectory, initial: InitialNetwork | None = None) -> RunDirectory:
    """Creates the folder of a new run, after a quick check of the game of a plug-in.

    Args:
      run: The run, whose folder is not yet there.
      initial: The network that it begins from, if there is one; it is put into its history.

    Raises:
      InputError: The folder is not empty, or cannot be created, or the game breaks a law, or an
        agent to begin from is missing, or a file of replay, or of a part, is wrong.
    """
    algorithm = run.config.train.algorithm
    if algorithm.improves_an_agent and initial is None:
        raise InputError(
            f"algorithm.name={algorithm.name}: needs an agent to begin from, by --init-from"
        )
    check_is_free(run.path)
    check_plugin_game(run.config.train.game)
    if run.config.train.replay is not None:
        read_replay(run.config.train)  # raises before anything is written
    with input_errors():
        check_part_states(run.config.train)
    run = dataclasses.replace(run, init_from=initial.agent if initial else None)
    with writing_errors(run.path), owned(run.path):
        check_is_free(run.path)  # another process may have been quicker
        if initial:
            with contextlib.closing(NetworkHistory(run.history)) as history:
                history.save(0, initial.variables)
        write_description(run.path, describe(run))  # last: no run lacks what it begins from
    return run


def open_run(path: pathlib.Path) -> RunDirectory:
    """Returns the run of a folder.

    Raises:
      InputError: The folder has no run, or it cannot be read, or its networks are outdated.
    """
    if not is_run(path):
        if below := runs_below(path):
            raise InputError(f"{path} holds {len(below)} runs: name one, such as {below[0]}")
        exists = f"it has no {DESCRIPTION}" if path.is_dir() else "it is a file"
        why = exists if path.exists() else "there is no such folder"
        meant = nearest(path.name, [run.name for run in runs_below(path.parent)])
        rule = "give a folder that `azjax train` has made, not the file or the name of an agent"
        hint = f"did you mean {path.with_name(meant)}?" if meant else rule
        raise InputError(f"{path} holds no run: {why}; {hint}")
    with reading_errors(path / DESCRIPTION):
        saved = read_description(path)
        for plugin in saved["plugins"]:
            load_plugin(**plugin)
        run = parse_description(path, saved)
    check_network_version(path, saved)
    return run


def check_is_free(path: pathlib.Path) -> None:
    """Raises InputError if a folder cannot take a new run, or the runs of a population."""
    if is_run(path) or runs_below(path):
        raise InputError(
            f"{path} already holds a run: add --resume (in Python resume=True) to continue it, or "
            "choose another folder with --out"
        )
    check_is_empty(path)


def check_is_empty(path: pathlib.Path) -> None:
    """Raises InputError if a path exists and is not a folder without visible files."""
    if path.exists() and (not path.is_dir() or any(x.name[0] != "." for x in path.iterdir())):
        raise InputError(f"{path} exists and is not an empty folder: choose another with --out")


def is_run(path: pathlib.Path) -> bool:
    """Tells whether the folder holds a run."""
    return (path / DESCRIPTION).is_file()


def runs_below(path: pathlib.Path) -> list[pathlib.Path]:
    """Returns the folders of the population's runs in a folder, in order."""
    folders = [below.parent for below in path.glob(f"*/{DESCRIPTION}")]
    return sorted(folders, key=lambda folder: (len(folder.name), folder.name))


def shares_of_run(run: RunDirectory) -> tuple[float, ...]:
    """Returns the share of a run's budget that was done before each iteration.

    Raises:
      InputError: There are none, or the metrics are damaged, or lack an iteration.
    """
    rows = [row for row in read_metrics(run.metrics) if row["iteration"] > 0]
    if not rows:
        raise InputError(f"{run.path} records no budget shares: it has not begun")
    if [row["iteration"] for row in rows] != list(range(1, len(rows) + 1)):
        raise InputError(f"{run.metrics} lacks iterations, whose budget shares are not known")
    return tuple(row["budget_share"] for row in rows)
