"""Games that are not built in are held to their laws before they are trained."""

import dataclasses

import jax.numpy as jnp
import pytest

from azjax.games import Game, register_game
from azjax.games.coins import Coins
from azjax.games.laws import check
from azjax.games.laws.check import check_plugin_game
from azjax.support.errors import InputError

pytestmark = pytest.mark.usefixtures("registrations")


@dataclasses.dataclass(frozen=True)
class Misere(Coins):
    """Who takes the last coin loses."""

    format_state, parse_state = Game.format_state, Game.parse_state

    def step(self, state, action):
        after = super().step(state, action)
        return self.finish_step(state, action, after._replace(rewards=-after.rewards))


@dataclasses.dataclass(frozen=True)
class BothWin(Coins):
    """Rewards do not sum to zero."""

    def step(self, state, action):
        after = super().step(state, action)
        return after._replace(rewards=jnp.abs(after.rewards))


def test_a_game_that_is_built_in_is_not_checked(monkeypatch):
    monkeypatch.setattr(check, "check_game", lambda *arguments: pytest.fail("it is checked"))
    assert check_plugin_game("coins:coins=5") == []


def test_a_game_that_breaks_a_law_is_refused_until_it_is_registered_right():
    register_game("own", BothWin, coins=5)
    with pytest.raises(InputError, match="own breaks the law that rewards are"):
        check_plugin_game("own")
    register_game("own", Misere, coins=5)
    [warning] = check_plugin_game("own")
    assert warning.startswith("who moves last never wins")
