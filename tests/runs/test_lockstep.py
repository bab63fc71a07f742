"""What processes in lockstep agree on at first; the rest is tested by what they train."""

import pytest

from azjax.config.stored_config import store_train_config
from azjax.runs import lockstep
from azjax.support.errors import InputError
from azjax.training import TrainConfig


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"game": "of_a_plugin"}, "process 0: no game is named 'of_a_plugin'"),
        ({"of_a_newer_version": 1}, "process 0: no field is named 'of_a_newer_version'"),
    ],
)
def test_a_process_that_cannot_train_a_run_says_so(changes, message):
    plan = {"config": store_train_config(TrainConfig()) | changes, "num_devices": 1, "num_slots": 1}
    with pytest.raises(InputError, match=f"^{message}"):
        lockstep._open_together(plan)
