"""Fixtures that run the script in this process; compiled programs are shared between tests."""

import sqlite3

import pytest
import sqlalchemy
from command_line import call_main
from script_loading import load
from sweeping import TINY


@pytest.fixture(autouse=True)
def quick_storage():
    """Lets SQLite skip fsync, which tests do not need."""

    def skip_fsync(connection, record):
        if isinstance(connection, sqlite3.Connection):
            connection.execute("PRAGMA synchronous = OFF")

    sqlalchemy.event.listen(sqlalchemy.engine.Engine, "connect", skip_fsync)
    yield
    sqlalchemy.event.remove(sqlalchemy.engine.Engine, "connect", skip_fsync)


@pytest.fixture
def preset(tmp_path):
    """Returns the file of a tiny preset."""
    path = tmp_path / "tiny.toml"
    path.write_text(TINY)
    return path


@pytest.fixture
def sweep(monkeypatch, capfd, preset, tmp_path):
    """Returns `sweep("--trials", 4, ...)`, which runs the script and returns its Result."""
    monkeypatch.chdir(tmp_path)
    script = load("sweep")
    monkeypatch.setattr(script, "prepare_jax", lambda: None)

    def call(*arguments, preset=preset):
        return call_main(script.main, ("--preset", preset, *arguments), capfd)

    return call
