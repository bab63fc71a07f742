"""The registry of games by name. A new game is one file and one line here."""

import difflib
from collections.abc import Callable

from azjax.games.coins import Coins
from azjax.games.connect_four import ConnectFour
from azjax.games.game import Game
from azjax.games.go.rules import Go
from azjax.games.hex import Hex
from azjax.games.mnk import Mnk
from azjax.games.othello import Othello
from azjax.games.pgx_adapter import PGX_PREFIX, make_pgx
from azjax.games.quixo import Quixo

_GAMES: dict[str, Callable[..., Game]] = {}


def register(name: str, make_game: Callable[..., Game], **defaults) -> None:
    """Registers a game, which `make(name, **keywords)` then makes.

    Args:
      name: The name.
      make_game: The game's class, or a function that takes `name=` and the keywords.
      **defaults: Keywords of `make_game`, which those of `make` override.

    Raises:
      ValueError: The name is taken.
    """
    if name in _GAMES:
        raise ValueError(f"a game named {name!r} is registered already: choose another name")
    _GAMES[name] = lambda **keywords: make_game(**({"name": name} | defaults | keywords))


register("tic_tac_toe", Mnk, rows=3, columns=3, length=3)
register("mnk_6_6_4", Mnk, rows=6, columns=6, length=4)
register("gomoku_9", Mnk, rows=9, columns=9, length=5)
register("gomoku_15", Mnk, rows=15, columns=15, length=5)
register("connect_four", ConnectFour)
register("hex", Hex)
register("hex_5", Hex, size=5)
register("quixo", Quixo, size=5)
register("quixo_3", Quixo, size=3)
register("quixo_4", Quixo, size=4)
register("othello", Othello, size=8)
register("othello_6", Othello, size=6)
register("coins", Coins, coins=21, take=2)
# With best play player 0 owns all 25 cells of 5x5 Go, and wins by half a point.
register("go_5", Go, size=5, komi=24.5)
register("go_9", Go, size=9)
register("go_19", Go, size=19)


def names() -> list[str]:
    """Returns the names of the registered games."""
    return list(_GAMES)


def make(name: str, /, **keywords) -> Game:
    """Makes a game by name; keywords change its sizes, as in `make("mnk_6_6_4", rows=7)`.

    A resized game keeps the name; pass `name=` to tell its results apart. Names such as
    `pgx:chess` are games of Pgx, which `names()` does not list.

    Raises:
      ValueError: No game has the name, or a size is out of range.
      TypeError: The game has no such keyword.
    """
    if name.startswith(PGX_PREFIX):
        return make_pgx(name, **keywords)
    if name not in _GAMES:
        nearest = difflib.get_close_matches(name, _GAMES, n=1)
        hint = f"did you mean {nearest[0]!r}?" if nearest else f"there are {', '.join(_GAMES)}"
        raise ValueError(f"no game is named {name!r}; {hint}")
    return _GAMES[name](**keywords)
