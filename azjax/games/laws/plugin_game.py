"""A quick check of the games of plug-ins, before they are trained."""

import functools

from azjax import games
from azjax.games import Game
from azjax.games.laws import GameReport, check_game
from azjax.games.laws.declarations import check_static
from azjax.support.errors import input_errors

_NUM_GAMES = 16  # a second or two


def check_plugin_game(name: str) -> list[str]:
    """Checks in random play that a game obeys the laws, if a plug-in has registered it.

    Returns:
      Warnings of what obeys the laws, and yet is often a mistake.

    Raises:
      InputError: A law is broken.
    """
    if games.plugin_of_game(name) is None:
        return []
    with input_errors():
        game = games.make(name)
        check_static(game)  # reports are cached by the game
        return list(_check(game).warnings)


@functools.cache
def _check(game: Game) -> GameReport:
    return check_game(game, _NUM_GAMES)
