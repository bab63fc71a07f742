import os
import pathlib

from azjax.page.runs_folder import list_runs

from .made_runs import make_run


def test_a_folder_that_cannot_be_entered_is_left_out(tmp_path, monkeypatch):
    runs, locked = tmp_path / "runs", tmp_path / "runs" / "lost+found"
    make_run(runs / "one")
    make_run(locked / "two")
    access = os.access  # the tests may run as root, who can enter every folder
    monkeypatch.setattr(
        os, "access", lambda path, mode: pathlib.Path(path) != locked and access(path, mode)
    )
    assert [run.name for run in list_runs(runs)] == ["one"]
