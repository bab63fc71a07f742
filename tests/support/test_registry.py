"""Registries: who may register which name, and which names are of plug-ins."""

import jax
import pytest

from azjax.support.program_cache import cache_programs
from azjax.support.registry import Registry


@pytest.fixture
def registry():
    registry = Registry("game")
    registry.register("chess", "built in", "azjax.games")
    registry.register("nim", "first", "mine")
    return registry


def test_the_error_of_an_unknown_name_suggests_the_nearest(registry):
    with pytest.raises(ValueError, match="no game is named 'ches'; did you mean 'chess'"):
        registry.get("ches")


def test_a_module_replaces_its_own_entry_and_compiled_programs_of_the_old_are_dropped(registry):
    @jax.jit
    def read():
        return len(registry.get("nim"))

    @cache_programs
    def keep():
        return len(registry.get("nim"))

    assert read() == keep() == 5
    registry.register("nim", "second one", "mine")
    assert read() == keep() == 10
    assert registry.names() == ["chess", "nim"]


@pytest.mark.parametrize(("name", "module"), [("nim", "another"), ("chess", "mine")])
def test_the_name_of_another_module_or_of_azjax_is_taken(registry, name, module):
    with pytest.raises(ValueError, match=f"the game '{name}' is registered already: choose"):
        registry.register(name, "other", module)


@pytest.mark.parametrize("name", ["", "a:b"])
def test_a_name_that_names_of_players_and_sizes_could_not_hold_is_refused(registry, name):
    with pytest.raises(ValueError, match="is no name of a game"):
        registry.register(name, "entry", "mine")
