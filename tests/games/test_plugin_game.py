"""Games that are not built in are held to their laws before they are trained."""

import pytest

from azjax.games import register_game
from azjax.games.laws import check
from azjax.games.laws.check import check_plugin_game
from azjax.support.errors import InputError

from .broken_games import BothWin, Misere

pytestmark = pytest.mark.usefixtures("registrations")


def test_a_game_that_is_built_in_is_not_checked(monkeypatch):
    monkeypatch.setattr(check, "check_game", lambda *arguments: pytest.fail("it is checked"))
    assert check_plugin_game("coins:coins=5") == []


def test_a_game_that_breaks_a_law_is_refused_until_it_is_registered_right():
    register_game("own", BothWin)
    with pytest.raises(InputError, match="own breaks the law that rewards are"):
        check_plugin_game("own")
    register_game("own", Misere)
    [warning] = check_plugin_game("own")
    assert warning.startswith("who moves last never wins")
