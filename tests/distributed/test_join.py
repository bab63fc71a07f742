"""What the processes of a group have in common, and exchange."""

import json

import jax
import pytest

from azjax.distributed import join as joining
from azjax.distributed.group import ProcessGroup
from azjax.distributed.join import check_alike, join
from azjax.support.errors import InputError

FIRST = {"their commands": ["train", "--seed", "0"], "the version of jax": "0.10.2"}


def describe(**changes):
    return json.dumps(FIRST | changes)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"their commands": ["train", "--seed", "1"]}, "--seed 0 and --seed 1"),
        ({"their commands": [*FIRST["their commands"], "--seeds", "2"]}, "0 and 0 --seeds"),
        ({"the version of jax": "0.9"}, "the version of jax: 0.10.2 and 0.9"),
    ],
)
def test_a_process_that_differs_is_named(changes, message):
    with pytest.raises(InputError, match=f"processes 0 and 2 differ in .*{message}$"):
        check_alike([describe(), describe(), describe(**changes)])


@pytest.fixture
def describe_process(monkeypatch):
    """Returns `describe_process(command)`: what a process tells the others."""

    def call(command):
        told = []
        monkeypatch.setattr(joining, "gather_texts", lambda text: told.append(text) or [text])
        with joining.training_together(command):
            return told[0]

    return call


def test_a_preset_of_the_same_name_with_other_contents_is_refused(tmp_path, describe_process):
    preset = tmp_path / "tiny.toml"
    descriptions = []
    for text in ("minutes = 1.0", "minutes = 1.0", "minutes = 2.0"):
        preset.write_text(text)
        descriptions.append(describe_process(["train", str(preset), "--seed", "0"]))
    check_alike(descriptions[:2])
    with pytest.raises(InputError, match=f"processes 0 and 2 differ in the contents of {preset}: "):
        check_alike(descriptions)


def test_processes_with_other_devices_files_or_versions_are_refused(describe_process, monkeypatch):
    command = ["train", "tic_tac_toe"]
    before = describe_process(command)
    changes = (
        (jax, "local_device_count", "the number of devices"),
        (jax, "default_backend", "the platform"),
        (joining, "package_hash", "the files of azjax"),
    )
    for module, function, name in changes:
        with monkeypatch.context() as patch:
            patch.setattr(module, function, lambda: "another")
            with pytest.raises(InputError, match=f"processes 0 and 1 differ in {name}: "):
                check_alike([before, describe_process(command)])


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
