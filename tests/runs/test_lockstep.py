"""What processes in lockstep agree on at first; the rest is tested by what they train."""

import json

import pytest

from azjax.config.stored_config import store_train_config
from azjax.runs.lockstep import open_slots
from azjax.support.errors import InputError
from azjax.training import TrainConfig


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"game": "of_a_plugin"}, "no game is named 'of_a_plugin'"),
        ({"of_a_newer_version": 1}, "no field is named 'of_a_newer_version'"),
    ],
)
def test_a_process_that_cannot_train_a_run_says_so(changes, message):
    plan = json.dumps([store_train_config(TrainConfig()) | changes, 1, 1])
    with pytest.raises(InputError, match=f"^{message}"):
        open_slots(plan, lambda: False)
