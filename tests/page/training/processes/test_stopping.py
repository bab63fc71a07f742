import signal
import socket

import psutil
import pytest

from azjax.page.training.processes.stopping import is_azjax_train, stop_training
from azjax.support.errors import InputError
from azjax.support.ownership import Owner

HERE = socket.gethostname()
TRAIN = ["python", "-m", "azjax", "train", "tic_tac_toe"]


def owner(pid=123, host=HERE):
    return Owner(host, pid)


def stop(of=None, words=TRAIN, command_of=None):
    """Returns the signals that were sent to processes with a command line."""
    sent = []
    stop_training(
        of or owner(),
        command_of or (lambda pid: words),
        lambda pid, signum: sent.append((pid, signum)),
    )
    return sent


@pytest.mark.parametrize(
    "words",
    [
        TRAIN,
        ["/usr/bin/python3", "-m", "azjax", "train", "connect_four", "--out", "runs/x"],
        ["/venv/bin/python", "/venv/bin/azjax", "train", "hex"],
        ["python", "-X", "dev", "-m", "azjax", "--plugin", "mine", "train", "nim"],
        ["python", "-m", "azjax", "--plugin=mine", "train", "nim"],
    ],
)
def test_a_training_is_stopped_as_by_ctrl_c(words):
    assert is_azjax_train(words)
    assert stop(words=words) == [(123, signal.SIGINT)]


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["vim", "train"],
        ["python", "experiments/compare_search.py"],
        ["python", "-m", "azjax"],
        ["python", "-m", "azjax", "serve"],
        ["python", "-m", "azjax", "tournament", "train"],
        ["python", "-m", "azjax", "--plugin", "train", "serve"],
        ["python", "train", "azjax"],
    ],
)
def test_another_process_gets_no_signal(words):
    with pytest.raises(InputError, match="is no `azjax train`"):
        stop(words=words)


@pytest.mark.parametrize("of", [owner(host="far"), owner(pid=None)])
def test_a_training_on_another_machine_is_not_stopped_here(of):
    with pytest.raises(InputError, match="on another machine"):
        stop(of)


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (psutil.NoSuchProcess(123), "has ended"),
        (psutil.AccessDenied(123), "another user"),
        (ProcessLookupError(), "has ended"),
        (PermissionError(), "another user"),
    ],
)
def test_a_process_that_cannot_be_reached_is_told(error, words):
    def command_of(pid):
        raise error

    with pytest.raises(InputError, match=words):
        stop(command_of=command_of)
