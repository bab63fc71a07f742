"""Durable writes, seen from what is synchronized and in which order."""

import os
import stat

import pytest

from azjax.support.files.atomic_files import append_line, sync_tree, write_text_atomically


def inode(path):
    return path.stat().st_ino


def test_a_file_is_on_disk_before_its_name_is(tmp_path, synced):
    file = tmp_path / "run.json"
    file.write_text("before")
    write_text_atomically(file, "after")
    assert synced == [inode(file), inode(tmp_path)]
    assert file.read_text() == "after"


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


def test_a_line_is_on_disk_when_it_is_appended(tmp_path, synced):
    with (tmp_path / "log").open("a") as file:
        append_line(file, "one")
        assert synced == [inode(tmp_path / "log")]
        assert (tmp_path / "log").read_text() == "one\n"


def test_a_folder_is_on_disk_with_all_below_it_and_its_own_entry(tmp_path, synced):
    below = tmp_path / "checkpoints" / "3"
    (below / "state").mkdir(parents=True)
    (below / "state" / "array").write_text("numbers")
    sync_tree(below)
    assert synced[-1] == inode(tmp_path / "checkpoints")
    everything = {below, below / "state", below / "state" / "array", tmp_path / "checkpoints"}
    assert set(synced) == set(map(inode, everything))


def test_a_file_system_that_does_not_synchronize_folders_is_written_to(tmp_path, monkeypatch):
    def only_files(descriptor):
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(22, "Invalid argument")

    monkeypatch.setattr(os, "fsync", only_files)
    write_text_atomically(tmp_path / "run.json", "text")
    assert (tmp_path / "run.json").read_text() == "text"
