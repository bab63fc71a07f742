"""Durable writes, seen from what is synchronized and in which order."""

import os
import stat

import pytest

from azjax.support.files.atomic_files import write_text_atomically


def test_a_file_that_cannot_be_synchronized_does_not_replace_the_one_before(tmp_path, monkeypatch):
    def fail(descriptor):
        if stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(5, "Input/output error")

    (tmp_path / "run.json").write_text("before")
    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="Input/output error"):
        write_text_atomically(tmp_path / "run.json", "after")
    assert [path.name for path in tmp_path.iterdir()] == ["run.json"]
    assert (tmp_path / "run.json").read_text() == "before"


def test_a_file_system_that_does_not_synchronize_folders_is_written_to(tmp_path, monkeypatch):
    def only_files(descriptor):
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(22, "Invalid argument")

    monkeypatch.setattr(os, "fsync", only_files)
    write_text_atomically(tmp_path / "run.json", "text")
    assert (tmp_path / "run.json").read_text() == "text"
