"""Shared by all tests: JAX's settings, compiled programs, and the registered games.

Under pytest-xdist each worker is a process with its own session. Seeds are fixed, so every worker
sees the same games; a program that one worker has compiled is read by the other.
"""

import fcntl
import functools
import gc
import importlib.metadata
import os
import pathlib
import shutil
import tempfile
from collections.abc import Callable

# Before JAX is imported. Subprocesses and notebooks inherit it. On an accelerator results round
# differently; `JAX_PLATFORMS=cuda python -m pytest -m gpu` runs the tests that need one.
os.environ.setdefault("JAX_PLATFORMS", "cpu")
# On an accelerator several processes share its memory.
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
# On a busy machine one device of two may wait for the other for longer than XLA's 40 s. XLA's older
# emitters for the CPU, which later versions lack, compile in half the time. To split a program into
# parts that compile at once costs a tenth of it, and other tests need the other cores.
os.environ.setdefault(
    "XLA_FLAGS",
    "--xla_cpu_collective_call_terminate_timeout_seconds=600"
    + " --xla_cpu_use_fusion_emitters=false --xla_cpu_parallel_codegen_split_count=1"
    * importlib.metadata.version("jaxlib").startswith("0.10."),
)

import jax
import pytest
from small_games import SMALL_GAMES

from azjax.games import Game, make
from azjax.runs import session
from azjax.runs.storage.late_errors import ignore_late_errors
from azjax.support import registry
from azjax.support.machine.compilation_cache import use_compilation_cache

# Set before any backend starts. Two devices, so that sharding is tested on a laptop.
jax.config.update("jax_num_cpu_devices", 2)
# A silent [B] + [A, B] is a bug. A library that needs it is called under
# `jax.numpy_rank_promotion("allow")`, at the call and nowhere else.
jax.config.update("jax_numpy_rank_promotion", "raise")

# Tests compile much and compute little. Notebooks, which run in kernels of their own, and
# measurements of speed are optimized.
jax.config.update("jax_disable_most_optimizations", True)


# JAX makes many objects that live long. To look through them at every 700th takes 8% of the time.
gc.set_threshold(200_000)


@pytest.fixture
def optimizations():
    """Compiles with optimizations; programs that this process already holds stay as they are."""
    jax.config.update("jax_disable_most_optimizations", False)
    yield
    jax.config.update("jax_disable_most_optimizations", True)


def pytest_configure(config):
    """Shares compiled programs between the processes of this session.

    The folder is new in each session unless the caller sets JAX_COMPILATION_CACHE_DIR. Workers and
    subprocesses inherit the variable.
    """
    if "JAX_COMPILATION_CACHE_DIR" not in os.environ:
        patch = pytest.MonkeyPatch()
        patch.setenv("JAX_COMPILATION_CACHE_DIR", tempfile.mkdtemp(prefix="azjax-tests-"))
        config.add_cleanup(patch.undo)
        folder = os.environ["JAX_COMPILATION_CACHE_DIR"]
        config.add_cleanup(functools.partial(shutil.rmtree, folder, ignore_errors=True))
    jax.config.update("jax_compilation_cache_dir", os.environ["JAX_COMPILATION_CACHE_DIR"])
    use_compilation_cache()
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.1)


def pytest_collection_finish():
    """Spares the collector what is imported by now."""
    gc.freeze()


def pytest_runtest_setup(item):
    if item.get_closest_marker("gpu") and jax.default_backend() != "gpu":
        pytest.skip("needs a GPU, and JAX_PLATFORMS=cuda")


@pytest.fixture(scope="session", autouse=True)
def float32_unless_a_test_says_otherwise():
    """Gives every machine the same precision, in which what should be equal is."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("azjax.networks.precision._multiplies_bfloat16", lambda: False)
        yield


@pytest.fixture(scope="session", autouse=True)
def curves_are_drawn_once():
    """Draws the learning curves of the first run only: a picture takes as long as a tiny run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(session, "plot_curves", PlotOnce(session.plot_curves))
        yield


class PlotOnce:
    """Plots the first learning curves; later runs get a copy of that picture."""

    def __init__(self, plot: Callable):
        self._plot, self._picture = plot, b""

    def __call__(self, rows: list, path: pathlib.Path, title: str) -> None:
        if self._picture:
            path.write_bytes(self._picture)
        else:
            self._plot(rows, path, title)
            self._picture = path.read_bytes() if path.exists() else b""


@pytest.fixture(scope="session")
def made_once(tmp_path_factory):
    """Returns `made_once(name, make)`: a folder that the first of all workers makes."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base

    def call(name, make):
        folder, is_made = shared / name, shared / f"{name}.made"
        with (shared / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not is_made.exists():
                make(folder)
                is_made.touch()
        return folder

    return call


@pytest.fixture
def other_jax_settings():
    """Sets JAX as azjax does not; the function that it yields restores what was before."""
    others = {
        "jax_enable_x64": True,
        "jax_numpy_dtype_promotion": "strict",
        "jax_default_prng_impl": "rbg",
        "jax_transfer_guard": "disallow",
    }
    before = {name: jax.config.values[name] for name in others}

    def restore():
        for name, value in before.items():
            jax.config.update(name, value)

    for name, value in others.items():
        jax.config.update(name, value)
    yield restore
    restore()


@pytest.fixture
def synced(monkeypatch):
    """Returns the files and folders that are synchronized, by inode, in their order."""
    inodes = []
    fsync = os.fsync

    def record(descriptor):
        inodes.append(os.fstat(descriptor).st_ino)
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", record)
    return inodes


@pytest.fixture
def registrations(monkeypatch):
    """Forgets after the test what it registers."""
    for one in registry._REGISTRIES.values():
        monkeypatch.setattr(one, "_entries", dict(one._entries))
        monkeypatch.setattr(one, "_modules", dict(one._modules))


@pytest.fixture(autouse=True)
def no_plugins_of_other_tests(monkeypatch):
    monkeypatch.setattr("azjax.config.plugin_flag._given", {})


@pytest.fixture(scope="session", autouse=True)
def quiet_about_late_reads():
    ignore_late_errors()


@pytest.fixture(scope="session", params=SMALL_GAMES)
def game(request) -> Game:
    return make(request.param)
