import os
import pathlib

from azjax.page.run_list import list_runs
from azjax.page.studies.study_folders import list_study_folders

from .made_runs import make_run


def test_a_folder_that_cannot_be_entered_is_left_out(tmp_path, monkeypatch):
    runs, locked = tmp_path / "runs", tmp_path / "runs" / "lost+found"
    make_run(runs / "one")
    locked.mkdir()
    is_file, access = pathlib.Path.is_file, os.access

    def is_file_if_allowed(path):  # the tests may run as root, who can enter every folder
        if path.parent == locked:
            raise PermissionError(path)
        return is_file(path)

    monkeypatch.setattr(pathlib.Path, "is_file", is_file_if_allowed)
    monkeypatch.setattr(
        os, "access", lambda path, mode: pathlib.Path(path) != locked and access(path, mode)
    )
    assert [run.name for run in list_runs(runs)] == ["one"]
    assert list_study_folders(runs) == []
