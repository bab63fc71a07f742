import os
import subprocess
import sys

import pytest

from azjax.page.training.processes.jobs import Jobs, find_failure, newest_lines
from azjax.support.errors import InputError


class FakeProcess:
    """A process that ends when a test says so."""

    def __init__(self, command, **settings):
        self.command, self.settings, self.status = command, settings, None
        settings["stdout"].write(b"compiling\n")

    def poll(self):
        return self.status


@pytest.fixture
def started():
    return []


@pytest.fixture
def jobs(tmp_path, started, monkeypatch):
    def popen(*arguments, **settings):
        started.append(FakeProcess(*arguments, **settings))
        return started[-1]

    monkeypatch.setattr(subprocess, "Popen", popen)
    return Jobs(tmp_path / "runs")


def test_a_process_runs_in_a_session_of_its_own_and_never_through_a_shell(jobs, started):
    jobs.start("run", ["train", "hex", "--out", "x; rm -rf y"])
    (process,) = started
    arguments = ["train", "hex", "--out", "x; rm -rf y"]
    assert process.command == [sys.executable, "-m", "azjax", *arguments]
    settings = process.settings
    assert settings["start_new_session"] is True
    assert settings["stdin"] == subprocess.DEVNULL
    assert settings["stderr"] == subprocess.STDOUT
    assert "shell" not in settings
    assert list(jobs.running()) == ["run"]


def test_its_output_is_appended_to_a_log_outside_of_its_folder(jobs, tmp_path):
    jobs.start("a/run", ["train", "hex"])
    log = tmp_path / "runs" / ".logs" / "a" / "run.log"
    assert log.read_text() == "$ azjax train hex\ncompiling\n"
    assert jobs.read_log("a/run") == ["compiling"]
    assert not (tmp_path / "runs" / "a").exists()


def test_a_name_has_one_process_at_a_time(jobs, started):
    jobs.start("run", ["train", "hex"])
    with pytest.raises(InputError, match="already"):
        jobs.start("run", ["train", "hex"])
    started[0].status = 2
    assert (jobs.running(), jobs.failed()) == ({}, ["run"])
    jobs.start("run", ["train", "hex"])
    assert (list(jobs.running()), jobs.failed()) == (["run"], [])


def test_why_a_process_failed_is_read_from_its_log(jobs, tmp_path):
    jobs.start("run", ["train", "hex"])
    log = tmp_path / "runs" / ".logs" / "run.log"
    assert jobs.failure("run", 0.0) == ""
    log.write_text("$ azjax train hex\nazjax: error: no memory\n")
    assert jobs.failure("run", 0.0) == "azjax: error: no memory"
    os.utime(log, (100.0, 100.0))
    assert jobs.failure("run", 101.0) == ""  # the run has been trained since


def test_a_name_that_no_log_can_have_has_none(jobs):
    assert jobs.read_log("x" * 300) == []
    assert jobs.failure("../x", 0.0) == ""


def test_a_folder_that_cannot_be_written_is_told(tmp_path):
    (tmp_path / "runs").write_text("a file")
    with pytest.raises(InputError, match="cannot be written"):
        Jobs(tmp_path / "runs").start("run", ["train", "hex"])


def test_a_log_is_read_from_its_newest_command():
    text = "$ azjax train hex\nazjax: error: x\n$ azjax train hex --resume\na\nb\n"
    assert newest_lines(text) == ["a", "b"]
    assert len(newest_lines("line\n" * 100)) == 20


@pytest.mark.parametrize(
    ("lines", "failure"),
    [
        ([], ""),
        (["compiling", "00:03 iteration 5"], ""),
        (["compiling", "azjax: error: unknown option", ""], "azjax: error: unknown option"),
        (
            ["Traceback (most recent call last):", "  x", "ValueError: y"],
            "ValueError: y",
        ),
    ],
)
def test_a_failure_is_the_line_that_says_why(lines, failure):
    assert find_failure(lines) == failure
