"""What commands print: what long work says, and where output is lost or lacks a character."""

import errno
import io
import os
import sys

import pytest
from command_line import checkpoints
from rich.console import Console

from azjax.cli import output
from azjax.cli.output import working
from azjax.runs.reporting.progress import COMPILING


class Lost(io.StringIO):
    """A stream that refuses every text."""

    def __init__(self, number):
        super().__init__()
        self._number = number

    def write(self, text):
        raise OSError(self._number, os.strerror(self._number))


def test_a_run_goes_on_without_its_output(train, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "stdout", Lost(errno.ENOSPC))
    ended = train(tmp_path / "run", "--iterations", "1")
    assert (ended.code, checkpoints(tmp_path / "run")) == (0, [1])
    line = f"azjax: standard output: {os.strerror(errno.ENOSPC)}; going on"
    assert ended.err.startswith(line)


@pytest.mark.parametrize(
    ("stream", "code", "text"),
    [(Lost(errno.EPIPE), 1, ""), (Lost(errno.ENOSPC), 1, "'standard output'"), (None, 0, "")],
)
def test_a_command_that_is_its_output_ends_without_it(azjax, monkeypatch, stream, code, text):
    monkeypatch.setattr(sys, "stdout", stream)
    ended = azjax("games")
    assert (ended.code, ended.err.count("\n")) == (code, bool(text))
    assert text in ended.err


def test_a_folder_whose_name_is_no_utf8_is_trained_and_told(train, tmp_path, monkeypatch):
    folder, stdout = tmp_path / os.fsdecode(b"\xff"), io.TextIOWrapper(io.BytesIO(), "utf-8")
    monkeypatch.setattr(sys, "stdout", stdout)
    assert train(folder, "--iterations", "1").code == 0
    assert checkpoints(folder) == [1]
    assert "\\udcff" in stdout.buffer.getvalue().decode()


@pytest.mark.parametrize("is_terminal", [False, True])
def test_long_work_says_what_it_does_and_on_a_terminal_how_far_it_is(monkeypatch, is_terminal):
    file = io.StringIO()
    console = Console(file=file, force_terminal=is_terminal, width=100)
    monkeypatch.setattr(output, "console", console)
    with working("counting") as show:
        assert f"counting; {COMPILING}" in file.getvalue()
        show("3 of 7")
    assert ("3 of 7" in file.getvalue()) == is_terminal
