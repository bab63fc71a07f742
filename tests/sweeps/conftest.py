"""Fixtures that run the script in this process; compiled programs are shared between tests."""

import pytest
import sqlalchemy
from sweeping import TINY, Result, load_script


@pytest.fixture(autouse=True)
def quick_storage():
    """Lets SQLite skip fsync, which tests do not need."""

    def skip_fsync(connection, record):
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
    script = load_script()
    monkeypatch.setattr(script, "prepare_jax", lambda: None)

    def call(*arguments, preset=preset):
        capfd.readouterr()
        try:
            script.main(["--preset", str(preset), *map(str, arguments)])
            code = 0
        except SystemExit as stop:
            code = stop.code or 0
        return Result(code, *capfd.readouterr())

    return call
