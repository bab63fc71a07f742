"""The checkpoint that a session starts from, where some are damaged or have no row."""

import contextlib
import json

import pytest
from tiny_runs import no_progress

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
