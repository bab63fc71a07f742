"""Plug-ins: where their modules are found, and what is said of one that fails."""

import importlib.metadata
import sys

import pytest

from azjax.support.errors import InputError
from azjax.support.plugins import Plugin, describe_plugin, load_entry_points, load_plugin
from azjax.support.registry import Registry


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Returns the current folder, an empty one; modules that are imported are forgotten."""
    known = dict(sys.modules)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield tmp_path
    for name in sys.modules.keys() - known.keys():
        del sys.modules[name]


def test_a_plugin_is_found_in_the_current_folder_and_imported_once(here):
    (here / "own_plugin.py").write_text("calls = []\n")
    load_plugin("own_plugin")
    sys.modules["own_plugin"].calls.append(1)
    load_plugin("own_plugin")
    assert sys.modules["own_plugin"].calls == [1]


def test_a_recorded_plugin_is_found_in_its_folder_rather_than_here(here):
    (here / "project").mkdir()
    (here / "project" / "own_plugin.py").write_text("value = 'recorded'\n")
    with pytest.raises(InputError, match="no plug-in 'own_plugin'"):
        load_plugin("own_plugin")
    (here / "own_plugin.py").write_text("value = 'another'\n")
    load_plugin("own_plugin", str(here / "project"))
    assert sys.modules["own_plugin"].value == "recorded"
    assert describe_plugin("own_plugin") == Plugin("own_plugin", str(here / "project"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("\nx = 1 / 0\n", r"plug-in own_plugin: ZeroDivisionError: .* \(own_plugin.py, line 2\)"),
        ("def f(:\n", r"plug-in own_plugin: SyntaxError: .*\(own_plugin.py, line 1\)"),
        (
            "import azjax\nazjax.register_game('hex', lambda name: None)\n",
            r"plug-in own_plugin: ValueError: the game 'hex' is registered already: .*line 2\)",
        ),
    ],
)
def test_a_plugin_that_fails_is_told_in_one_line_with_its_place(here, text, message):
    (here / "own_plugin.py").write_text(text)
    with pytest.raises(InputError, match=message) as refused:
        load_plugin("own_plugin")
    assert "\n" not in str(refused.value)


def test_installed_packages_declare_plugins_by_entry_points(here, monkeypatch):
    (here / "installed_plugin.py").write_text("")
    entry = importlib.metadata.EntryPoint("own", "installed_plugin", "azjax.plugins")
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: [entry])
    load_entry_points.cache_clear()
    assert "no_such_game" not in Registry("game")  # it looks for one in the plug-ins
    load_entry_points.cache_clear()
    assert "installed_plugin" in sys.modules
