"""Where a run goes on: its newest checkpoint, or a new state from its seed; and what changes."""

import contextlib
import pathlib
import shutil
from collections.abc import Sequence

import jax

from azjax.runs.evaluation.endings import Ending, why_ended
from azjax.runs.replay_file import read_replay
from azjax.runs.reporting.progress import TrainingProgress
from azjax.runs.storage.answers import read_answers
from azjax.runs.storage.checkpoints import (
    Checkpoints,
    last_checkpoint,
    restore,
    saved_iterations,
    train_state_shapes,
)
from azjax.runs.storage.metrics_log import read_metrics
from azjax.runs.storage.network_history import NetworkHistory
from azjax.runs.storage.orbax_folder import unfinished_items
from azjax.runs.storage.run_description import precision_name, read_description
from azjax.runs.storage.run_directory import RunDirectory
from azjax.support.errors import InputError
from azjax.support.files.atomic_files import write_text_atomically
from azjax.support.files.json_lines import json_lines, read_json_lines
from azjax.support.files.ownership import Ownership
from azjax.support.files.reading import read_text
from azjax.support.plurals import count
from azjax.training import TrainState, init_train_state, make_game_and_network


def why_finished(run: RunDirectory) -> Ending | None:
    """Returns why a session would end at once, or None if there is something left to do.

    It compiles nothing. A run whose newest checkpoint is damaged goes on from the one before.
    """
    newest = _newest(run)
    rows = {row["iteration"]: row for row in read_metrics(run.metrics)}
    ending = why_ended(run, rows[newest]) if newest in rows else None
    return ending if ending and restore(run).iteration == newest else None


def were_checkpoints_deleted(run: RunDirectory) -> bool:
    """Tells whether a run has metrics, and checkpoints no longer.

    Its first iteration is saved, before the second one begins. One that was killed before that has
    no checkpoint yet.
    """
    if not run.metrics.exists() or last_checkpoint(run.checkpoints) is not None:
        return False
    rows = read_metrics(run.metrics)
    return not run.checkpoints.exists() or (bool(rows) and rows[-1]["iteration"] > 1)


def describe_changes(run: RunDirectory) -> list[str]:
    """Returns lines on what changes where a run goes on: devices, and positions of its accuracy."""
    saved, lines = read_description(run.path), []
    until = f"until iteration {_newest(run)}, from now on"
    if run.num_devices != saved["devices"]:
        lines.append(
            f"trained on {count(saved['devices'], 'device')} {until} {run.num_devices}: sums are "
            "rounded in another order, so it is not bit-identical"
        )
    if run.truth != saved["truth"]:
        then = saved["truth"] or "the positions of a run without --truth"
        lines.append(f"accuracy was measured on {then} {until} {run.truth}")
    return lines


def starting_state(
    run: RunDirectory, checkpoints: Checkpoints, progress: TrainingProgress
) -> TrainState:
    """Returns the state of the newest checkpoint, or else a new one from the seed.

    It prints which one it is, and which checkpoints are damaged.

    Raises:
      InputError: All checkpoints are damaged, or the metrics lack the row of the newest; or the
        network or the replay that a new run begins from cannot be read.
    """
    if checkpoints.iterations_with_damaged():
        restored = checkpoints.restore(train_state_shapes(run))
        for warning in restored.warnings:
            progress.warn(warning)
        if restored.iteration not in {row["iteration"] for row in read_metrics(run.metrics)}:
            raise InputError(
                f"{run.metrics} lacks the row of iteration {restored.iteration}, of the newest "
                "checkpoint: the run can be played, but not continued"
            )
        progress.log(run, f"resuming from iteration {restored.iteration}")
        before, now = read_description(run.path)["precision"], precision_name(run.config)
        if before != now:
            progress.log(run, f"started in {before} and continued in {now}: not bit-identical")
        return restored.state
    if run.metrics.exists():
        progress.log(run, f"no checkpoint yet: starting again from seed {run.seed}")
    if run.init_from:
        progress.log(run, f"beginning from {run.init_from}")
    return initial_state(run)


def check_has_checkpoints(run: RunDirectory, kept: Sequence[int]) -> None:
    """Raises InputError if the checkpoints of a run were deleted: it would lose all it has.

    The error names the last network of its history, of which the iterations are given.
    """
    if were_checkpoints_deleted(run):
        last = f"{run.path}@{kept[-1]}" if kept else ""
        hint = f"; --init-from {last} begins a new run from its last network" if last else ""
        raise InputError(f"{run.checkpoints} is gone or empty: the run cannot be continued{hint}")


def initial_state(run: RunDirectory) -> TrainState:
    """Returns a run's state before its first iteration.

    It is sampled from the run's seed, apart from the network of an agent and the replay of a file.

    Raises:
      InputError: That network is damaged, or the file of replay is wrong.
    """
    state = sampled_state(run)
    if run.init_from:
        _, network = make_game_and_network(run.config.train)
        with contextlib.closing(NetworkHistory(run.history)) as history:
            state = state.with_network(history.restore(network, 0))
    if run.config.train.replay is not None:
        state = state._replace(replay=read_replay(run.config.train))
    return state


def sampled_state(run: RunDirectory) -> TrainState:
    """Returns a state of a run's sizes that is sampled from its seed alone."""
    return jax.jit(init_train_state)(run.config.train, jax.random.key(run.seed))


def rewind(
    run: RunDirectory,
    iteration: int,
    history: NetworkHistory,
    checkpoints: Checkpoints,
    owner: Ownership,
) -> None:
    """Drops what is recorded after an iteration, which is computed again, and what is unfinished.

    What to drop is found before the ownership is checked, and that right before each step. So a
    process that was stopped for long drops nothing that the next owner has written. Damaged
    checkpoints are dropped too.

    Raises:
      InputError: A file is damaged.
      RunError: Another process has taken the folder.
      OSError: A file cannot be written.
    """
    shorter = _shorter_texts(run, iteration)
    networks = [later for later in history.iterations() if later > iteration]
    states = [later for later in checkpoints.iterations_with_damaged() if later > iteration]
    unfinished = [*unfinished_items(run.history), *unfinished_items(run.checkpoints)]
    owner.check()
    for path, text in shorter.items():
        write_text_atomically(path, text, confirm=owner.check)
    for folder, iterations in ((history, networks), (checkpoints, states)):
        for later in iterations:
            owner.check()
            folder.delete([later])
    for path in unfinished:
        owner.check()
        shutil.rmtree(path)


def _shorter_texts(run: RunDirectory, iteration: int) -> dict[pathlib.Path, str]:
    """Returns the new texts of the files that hold more than is kept."""
    read_answers(run.answers)  # raises where they are damaged
    answers = read_json_lines(run.answers) if run.answers.exists() else []
    rows = {run.metrics: read_metrics(run.metrics), run.answers: answers}
    texts = {
        path: json_lines(row for row in found if row["iteration"] <= iteration)
        for path, found in rows.items()
    }
    return {path: text for path, text in texts.items() if path.exists() and read_text(path) != text}


def _newest(run: RunDirectory) -> int:
    """Returns the iteration of the newest checkpoint, or 0."""
    return max(saved_iterations(run.checkpoints), default=0)
