"""The cache of compiled programs: a part for each kind of processor, and no endless growth."""

import os
import pathlib
import time

import jax
import pytest

from azjax.support.machine import compilation_cache
from azjax.support.machine.compilation_cache import prune, use_compilation_cache

DAY = 24 * 3600


@pytest.fixture
def jax_folder(monkeypatch):
    """Stands for JAX's setting, which the tests of this session keep."""
    settings = {"jax_compilation_cache_dir": None}
    monkeypatch.setattr(compilation_cache.jax.config, "update", settings.__setitem__)
    monkeypatch.setattr(type(jax.config), "values", settings)
    return settings


def write_program(path, days_old=0.0, size=1):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(bytes(size))
    used = time.time() - days_old * DAY
    os.utime(path, (used, used))
    return path


def test_processors_that_differ_use_folders_that_differ(tmp_path, monkeypatch, jax_folder):
    for digest in ("amd", "intel"):
        monkeypatch.setattr(compilation_cache, "processor_digest", lambda digest=digest: digest)
        jax_folder["jax_compilation_cache_dir"] = str(tmp_path)
        for _ in range(2):  # a process may prepare JAX more than once
            use_compilation_cache()
            assert jax_folder["jax_compilation_cache_dir"] == str(tmp_path / digest)


def test_without_a_name_the_folder_is_below_the_home(tmp_path, monkeypatch, jax_folder):
    monkeypatch.setenv("HOME", str(tmp_path))
    old = write_program(tmp_path / ".cache/azjax/compiled/another_processor/old-cache", days_old=31)
    use_compilation_cache()
    part = pathlib.Path(jax_folder["jax_compilation_cache_dir"])
    assert part.parent == tmp_path / ".cache/azjax/compiled"
    assert not old.exists()


def test_files_of_others_in_a_named_folder_stay(tmp_path, jax_folder):
    others = write_program(tmp_path / "other-cache", days_old=1000)
    jax_folder["jax_compilation_cache_dir"] = str(tmp_path)
    use_compilation_cache()
    assert others.exists()


def test_what_was_not_used_for_long_is_deleted_and_the_oldest_of_too_many(tmp_path):
    programs = [
        write_program(tmp_path / name, days_old, size)
        for name, days_old, size in [("a", 1, 40), ("b/b", 2, 40), ("c", 3, 40), ("d", 31, 1)]
    ]
    prune(tmp_path, max_age=30 * DAY, max_bytes=100)
    assert [path.exists() for path in programs] == [True, True, False, False]
    prune(tmp_path / "missing")
