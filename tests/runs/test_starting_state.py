"""The checkpoint that a session starts from, where some are damaged or have no row."""

import contextlib
import io
import json

import pytest
from rich.console import Console
from tiny_runs import no_progress

from azjax.runs.reporting.progress import TrainingProgress
from azjax.runs.resuming import starting_state
from azjax.runs.storage.checkpoints import Checkpoints
from azjax.support.errors import InputError


@pytest.fixture
def checkpoints(run, state_at):
    """Returns the checkpoints 1 and 2 of a run that has logged both iterations."""
    rows = [json.dumps({"iteration": i, "seconds": 1.0}) + "\n" for i in (1, 2)]
    run.metrics.write_text("".join(rows))
    with contextlib.closing(Checkpoints(run.checkpoints)) as opened:
        for iteration in (1, 2):
            opened.save(state_at(iteration), None)
        yield opened


def damage_description(run, iteration):
    (run.checkpoints / str(iteration) / "_CHECKPOINT_METADATA").write_text("")


def test_a_run_whose_descriptions_are_all_damaged_does_not_start_again(run, checkpoints):
    for iteration in (1, 2):
        damage_description(run, iteration)
    assert checkpoints.iterations() == []
    with pytest.raises(InputError, match=r"no undamaged checkpoint: checkpoint 2 .*checkpoint 1 "):
        starting_state(run, checkpoints, no_progress())


def test_a_newest_checkpoint_of_a_damaged_description_is_not_passed_over_in_silence(
    run, checkpoints
):
    damage_description(run, 2)
    shown = io.StringIO()
    state = starting_state(run, checkpoints, TrainingProgress(Console(file=shown, width=1000)))
    assert state.iteration == 1
    assert "checkpoint 2 is damaged" in shown.getvalue()
    assert "checkpoint 1 is read instead" in shown.getvalue()
