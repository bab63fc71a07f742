import os
import pathlib
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from azjax.page import newest_metrics, owners
from azjax.page.newest_metrics import NewestMetrics
from azjax.page.owners import OwnerWatch
from azjax.page.run_list import list_runs
from azjax.page.studies.study_folders import list_study_folders
from azjax.support.files.ownership import owned

from .made_runs import make_line, make_run


def test_a_folder_that_cannot_be_entered_is_left_out(tmp_path, monkeypatch):
    runs, locked = tmp_path / "runs", tmp_path / "runs" / "lost+found"
    make_run(runs / "one")
    make_run(locked / "two")
    access = os.access  # the tests may run as root, who can enter every folder
    monkeypatch.setattr(
        os, "access", lambda path, mode: pathlib.Path(path) != locked and access(path, mode)
    )
    assert [run.name for run in list_runs(runs)] == ["one"]
    assert list_study_folders(runs) == []


@pytest.fixture
def file(tmp_path):
    return tmp_path / "metrics.jsonl"


def test_the_newest_row_and_the_newest_evaluation_are_read(file):
    file.write_text(
        make_line(1, accuracy_search=0.5) + make_line(2, accuracy_search=0.6) + make_line(3)
    )
    newest = NewestMetrics().read(file)
    assert (newest.iteration, newest.evaluation["iteration"]) == (3, 2)
    assert newest.changed_at == file.stat().st_mtime


def test_what_is_appended_is_seen(file):
    newest = NewestMetrics()
    file.write_text(make_line(1))
    assert newest.read(file) is newest.read(file)
    file.write_text(make_line(1) + make_line(2))
    assert newest.read(file).iteration == 2


def test_damaged_and_incomplete_lines_are_left_out(file):
    file.write_text(make_line(1, accuracy_search=0.5) + "damage\n" + make_line(2)[:9])
    newest = NewestMetrics().read(file)
    assert (newest.iteration, newest.evaluation["iteration"]) == (1, 1)


def test_an_evaluation_far_from_the_end_is_remembered(file, monkeypatch):
    monkeypatch.setattr(newest_metrics, "_MOST_BYTES", 100)
    newest = NewestMetrics()
    file.write_text(make_line(1, accuracy_search=0.5))
    newest.read(file)
    file.write_text(make_line(1, accuracy_search=0.5) + "".join(make_line(i) for i in range(2, 9)))
    assert newest.read(file).evaluation["iteration"] == 1
    assert NewestMetrics().read(file).evaluation == {}


def test_an_evaluation_that_was_dropped_is_forgotten(file):
    newest = NewestMetrics()
    file.write_text(make_line(1) + make_line(2, accuracy_search=0.5))
    newest.read(file)
    file.write_text(make_line(1))
    assert newest.read(file).evaluation == {}


def test_the_lock_of_a_free_folder_is_left_alone_until_its_owner_changes(tmp_path, monkeypatch):
    with owned(tmp_path):
        pass
    watch = OwnerWatch()
    assert watch.find(tmp_path) is None
    with monkeypatch.context() as patch:
        patch.setattr(owners, "find_owner", lambda folder: pytest.fail("it took the lock"))
        assert watch.find(tmp_path) is None
    with owned(tmp_path):
        assert watch.find(tmp_path) is not None


def test_threads_do_not_take_each_other_for_the_owner(tmp_path, monkeypatch):
    with owned(tmp_path):
        pass
    holds, find_owner = threading.Lock(), owners.find_owner

    def find_alone(folder):
        assert holds.acquire(blocking=False)
        try:
            time.sleep(0.05)
            return find_owner(folder)
        finally:
            holds.release()

    monkeypatch.setattr(owners, "find_owner", find_alone)
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(OwnerWatch().find, [tmp_path] * 4)) == [None] * 4
