"""The flag `--plugin` is taken anywhere, and removed from the arguments."""

import pytest

from azjax.config import plugin_flag
from azjax.config.plugin_flag import take_plugins
from azjax.support.errors import InputError


@pytest.fixture
def loaded(monkeypatch):
    """Returns the list of the modules that are loaded, which no import does."""
    modules = []
    monkeypatch.setattr(plugin_flag, "load_plugin", modules.append)
    return modules


@pytest.mark.parametrize(
    ("arguments", "rest", "modules"),
    [
        ("train nim", "train nim", []),
        ("--plugin mine train nim", "train nim", ["mine"]),
        ("train nim --plugin=mine --seed 1", "train nim --seed 1", ["mine"]),
        ("play x --plugin a --plugin b", "play x", ["a", "b"]),
    ],
)
def test_the_flag_is_taken_wherever_it_stands(loaded, arguments, rest, modules):
    assert take_plugins(arguments.split()) == rest.split()
    assert loaded == modules


@pytest.mark.usefixtures("loaded")
@pytest.mark.parametrize("arguments", [["train", "--plugin"], ["train", "--plugin", "--seed", "1"]])
def test_the_flag_needs_a_module(arguments):
    with pytest.raises(InputError, match=r"--plugin is without a module: write --plugin mine"):
        take_plugins(arguments)
