"""What the processes of a group must have in common."""

import json

import jax
import pytest

from azjax.distributed.group import ProcessGroup
from azjax.distributed.join import check_alike, join
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


def test_a_process_that_no_longer_answers_is_noticed(monkeypatch):
    """JAX itself takes SIGTERM for preemption, and waits for minutes."""
    given, before = {}, jax.config.jax_enable_preemption_service
    monkeypatch.setattr(jax.distributed, "initialize", lambda *_, **options: given.update(options))
    try:
        join(ProcessGroup("127.0.0.1", 7000, 2, 1, 300))
        assert not jax.config.jax_enable_preemption_service
    finally:
        jax.config.update("jax_enable_preemption_service", before)
    assert 0 < given["heartbeat_timeout_seconds"] < 60
    assert 0 < given["shutdown_timeout_seconds"] < 60
