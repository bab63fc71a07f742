import os
import signal
import socket
from concurrent.futures import ThreadPoolExecutor

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
        TRAIN,
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
        ["vim", "train"],
        ["python", "-m", "azjax", "serve"],
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


def test_a_process_gets_one_signal_even_if_many_ask_at_once(asked):
    signals = StopSignals()

    def ask(_):
        try:
            signals.send("run", [OWNER])
        except InputError as error:
            return str(error)
        return ""

    with ThreadPoolExecutor(8) as threads:
        told = list(threads.map(ask, range(8)))
    assert asked == [OWNER]
    assert sorted(set(told)) == ["", "run is stopping already: it saves its state first"]
    assert told.count("") == 1


def test_only_those_get_a_signal_that_had_none(asked):
    signals, other = StopSignals(), Owner("laptop", 13, 50.0)
    signals.send("one", [OWNER])
    signals.send("all", [OWNER, other])
    assert asked == [OWNER, other]


def test_a_later_process_of_the_same_number_is_another_one(asked):
    signals, later = StopSignals(), OWNER._replace(since=200.0)
    signals.send("run", [OWNER])
    assert (signals.has_asked(OWNER), signals.has_asked(later)) == (True, False)
    signals.send("run", [later])
    assert asked == [OWNER, later]


def test_a_process_that_could_not_be_asked_can_be_asked_again(monkeypatch, asked):
    def refuse(owner):
        raise InputError("it belongs to another user")

    signals = StopSignals()
    with monkeypatch.context() as patch:
        patch.setattr(processes, "stop_training", refuse)
        with pytest.raises(InputError, match="another user"):
            signals.send("run", [OWNER])
    assert not signals.has_asked(OWNER)
    signals.send("run", [OWNER])
    assert asked == [OWNER]
