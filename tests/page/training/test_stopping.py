import os
import signal
import socket

import psutil
import pytest

from azjax.page.training import processes
from azjax.page.training.processes import StopSignals, is_azjax_train, stop_training
from azjax.support.errors import InputError
from azjax.support.files.ownership import Owner

HERE = socket.gethostname()
TRAIN = ["python", "-m", "azjax", "train", "tic_tac_toe"]


def owner(pid=123, host=HERE):
    return Owner(host, pid)


class FakeProcess:
    """A process with a command line."""

    words = TRAIN

    def __init__(self, pid):
        self.pid = pid

    def cmdline(self):
        return self.words


@pytest.fixture
def sent(monkeypatch):
    """Returns the signals that are sent; processes are fake."""
    signals = []
    monkeypatch.setattr(psutil, "Process", FakeProcess)
    monkeypatch.setattr(os, "kill", lambda *signal: signals.append(signal))
    return signals


@pytest.mark.parametrize(
    "words",
    [
        ["/venv/bin/python", "/venv/bin/azjax", "train", "hex"],
        ["python", "-X", "dev", "-m", "azjax", "--plugin", "mine", "train", "nim"],
    ],
)
def test_a_training_is_stopped_as_by_ctrl_c(words, sent, monkeypatch):
    monkeypatch.setattr(FakeProcess, "words", words)
    assert is_azjax_train(words)
    stop_training(owner())
    assert sent == [(123, signal.SIGINT)]


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["python", "-m", "azjax", "tournament", "train"],
        ["python", "-m", "azjax", "--plugin", "train", "serve"],
        ["python", "train", "azjax"],
    ],
)
def test_another_process_gets_no_signal(words, sent, monkeypatch):
    monkeypatch.setattr(FakeProcess, "words", words)
    with pytest.raises(InputError, match="is no `azjax train`"):
        stop_training(owner())
    assert sent == []


@pytest.mark.parametrize("of", [owner(host="far"), owner(pid=None)])
def test_a_training_on_another_machine_is_not_stopped_here(of, sent):
    with pytest.raises(InputError, match="on another machine"):
        stop_training(of)
    assert sent == []


OWNER = Owner("laptop", 12, 100.0)


@pytest.fixture
def asked(monkeypatch):
    """Returns the owners whose processes have got a signal."""
    owners = []
    monkeypatch.setattr(processes, "stop_training", owners.append)
    return owners


def test_a_later_process_of_the_same_number_is_another_one(asked):
    signals, later = StopSignals(), OWNER._replace(since=200.0)
    signals.send("run", [OWNER])
    assert (signals.has_asked(OWNER), signals.has_asked(later)) == (True, False)
    signals.send("run", [later])
    assert asked == [OWNER, later]
