import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from azjax.page import owners
from azjax.page.owners import OwnerWatch
from azjax.support.files.ownership import owned


def test_the_owner_of_a_folder_is_found_as_long_as_it_owns_it(tmp_path):
    watch = OwnerWatch()
    assert watch.find(tmp_path) is None
    with owned(tmp_path):
        assert watch.find(tmp_path).pid == os.getpid()
        assert watch.find(tmp_path).pid == os.getpid()
    assert watch.find(tmp_path) is None


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
