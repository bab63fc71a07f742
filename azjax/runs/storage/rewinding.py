"""Rewinds the files of a run to the checkpoint that a session goes on from."""

import pathlib
import shutil

from azjax.runs.storage.answers import answers_row, read_answers
from azjax.runs.storage.budget_shares import read_budget_shares, share_lines
from azjax.runs.storage.checkpoints import Checkpoints
from azjax.runs.storage.metrics_log import read_metrics
from azjax.runs.storage.network_history import NetworkHistory
from azjax.runs.storage.orbax_writing import unfinished_items
from azjax.runs.storage.run_directory import RunDirectory
from azjax.support.files.atomic_files import write_text_atomically
from azjax.support.files.bounded_files import read_text
from azjax.support.files.json_lines import json_lines
from azjax.support.files.ownership import Ownership


def rewind(
    run: RunDirectory,
    iteration: int,
    history: NetworkHistory,
    checkpoints: Checkpoints,
    owner: Ownership,
) -> None:
    """Drops what is recorded after an iteration, which is computed again, and what is unfinished.

    What to drop is found before the ownership is checked, and that right before each step. So a
    process that was stopped for long drops nothing that the next owner has written.

    Args:
      run: The run.
      iteration: That of the state which the session goes on from.
      history: Its networks.
      checkpoints: Its checkpoints, of which damaged ones are dropped too.
      owner: The ownership of its folder.

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
    for later in networks:
        owner.check()
        history.delete([later])
    for later in states:
        owner.check()
        checkpoints.delete([later])
    for path in unfinished:
        owner.check()
        shutil.rmtree(path)


def _shorter_texts(run: RunDirectory, iteration: int) -> dict[pathlib.Path, str]:
    """Returns the new texts of the files that hold more than is kept.

    The shares of later iterations are kept, as these have the same shares again.
    """
    metrics = [row for row in read_metrics(run.metrics) if row["iteration"] <= iteration]
    answers = [answers_row(*item) for item in read_answers(run.answers).items()]
    texts = {
        run.metrics: json_lines(metrics),
        run.answers: json_lines(row for row in answers if row["iteration"] <= iteration),
        run.budget_shares: share_lines(read_budget_shares(run.budget_shares)),
    }
    return {path: text for path, text in texts.items() if path.exists() and read_text(path) != text}
