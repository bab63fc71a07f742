"""What the processes of a group must have in common."""

import json

import pytest

from azjax.distributed.join import check_alike
from azjax.support.errors import InputError

FIRST = {"their commands": ["train", "--seed", "0"], "the version of jax": "0.10.2"}


def describe(**changes):
    return json.dumps(FIRST | changes)


def test_processes_that_are_alike_may_train():
    check_alike(3 * [describe()])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"their commands": ["train", "--seed", "1"]}, "--seed 0 and --seed 1"),
        ({"their commands": ["train"]}, "train --seed and train"),
        ({"their commands": [*FIRST["their commands"], "--seeds", "2"]}, "0 and 0 --seeds"),
        ({"the version of jax": "0.9"}, "the version of jax: 0.10.2 and 0.9"),
    ],
)
def test_a_process_that_differs_is_named(changes, message):
    with pytest.raises(InputError, match=f"processes 0 and 2 differ in .*{message}$"):
        check_alike([describe(), describe(), describe(**changes)])
