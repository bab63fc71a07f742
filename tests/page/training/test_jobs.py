import subprocess
import sys

import pytest

from azjax.page.training.processes import Jobs
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


def test_a_name_has_one_process_at_a_time(jobs, started):
    jobs.start("run", ["train", "hex"])
    with pytest.raises(InputError, match="already"):
        jobs.start("run", ["train", "hex"])
    started[0].status = 2
    assert (jobs.running(), list(jobs.failures())) == ({}, ["run"])
    jobs.start("run", ["train", "hex"])
    assert (list(jobs.running()), list(jobs.failures())) == (["run"], [])
