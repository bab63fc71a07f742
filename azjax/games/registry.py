"""The registry of games by name, and games in other sizes: `connect_four:rows=5,columns=6`."""

import inspect
import tomllib
from collections.abc import Callable
from typing import Any, NamedTuple

from azjax.games.coins import Coins
from azjax.games.connect_four import ConnectFour
from azjax.games.game import Game
from azjax.games.go.rules import Go
from azjax.games.hex import Hex
from azjax.games.mnk import Mnk
from azjax.games.othello import Othello
from azjax.games.pgx_adapter import PGX_PREFIX, make_pgx
from azjax.games.quixo import Quixo
from azjax.support.front_door import plain
from azjax.support.registry import Registry, calling_module, registry
from azjax.support.suggestions import did_you_mean

_NOT_SIZES = {"name", "version"}
_PLAIN = (bool, int, float, str, tuple)


class _Entry(NamedTuple):
    make: Callable[..., Game]
    defaults: dict[str, Any]  # keywords of `make`

    @property
    def sizes(self) -> dict[str, Any]:
        """The sizes that a name may give, with their defaults."""
        parameters = inspect.signature(self.make).parameters.values()
        defaults = {p.name: p.default for p in parameters} | self.defaults
        return {size: value for size, value in defaults.items() if size not in _NOT_SIZES}


_GAMES: Registry[_Entry] = registry("game")


def register_game(name: str, make: Callable[..., Game], **defaults: Any) -> None:
    """Registers a game: `azjax.make(name)`, `--game name` and presets then know it.

    Args:
      name: The name.
      make: The game's class, or a function that returns a game. Its keywords are the sizes of the
        game; it takes the keyword `name` too.
      **defaults: Keywords of `make`, which the sizes of a name such as `hex:size=7` override.

    Raises:
      ValueError: The name is taken, or `make` has no keyword `name`.
    """
    parameters = inspect.signature(make).parameters.values()
    if not any(p.name == "name" or p.kind is p.VAR_KEYWORD for p in parameters):
        raise ValueError(
            f"game {name!r}: write a frozen dataclass with a field `name: str = {name!r}`"
        )
    _GAMES.register(name, _Entry(make, defaults), calling_module())


register_game("tic_tac_toe", Mnk, rows=3, columns=3, length=3)
register_game("mnk_6_6_4", Mnk, rows=6, columns=6, length=4)
register_game("gomoku_9", Mnk, rows=9, columns=9, length=5)
register_game("gomoku_15", Mnk, rows=15, columns=15, length=5)
register_game("connect_four", ConnectFour)
register_game("hex", Hex)
register_game("hex_5", Hex, size=5)
register_game("hex_7", Hex, size=7)
register_game("quixo", Quixo, size=5)
register_game("quixo_3", Quixo, size=3)
register_game("quixo_4", Quixo, size=4)
register_game("othello", Othello, size=8)
register_game("othello_6", Othello, size=6)
register_game("coins", Coins, coins=21, take=2)
# With best play player 0 owns all 25 cells of 5x5 Go, and wins by half a point.
register_game("go_5", Go, size=5, komi=24.5)
# The best known play on 7x7 ends 29 to 20: with a komi of 9 that is a draw.
register_game("go_7", Go, size=7, komi=9.0)
register_game("go_9", Go, size=9)
register_game("go_19", Go, size=19)


def names() -> list[str]:
    """Returns the names of the registered games."""
    return _GAMES.names()


def plugin_of_game(name: str) -> str | None:
    """Returns the module outside azjax that registered a game; None for one that is built in."""
    return _GAMES.plugin(base_name(name))


def base_name(name: str) -> str:
    """Returns the name without sizes: `hex` of `hex:size=7`, `pgx:chess` of `pgx:chess`."""
    return _split(name)[0]


def make(name: str, /, **keywords: Any) -> Game:
    """Makes a game by name, such as `hex`, `hex:size=7,swap=true` or `pgx:chess`.

    A game in other sizes says so in its name: `make("hex", size=7).name` is `hex:size=7`. Games of
    Pgx are not listed by `names()`.

    Args:
      name: A registered name, with sizes or without.
      **keywords: Sizes, instead of the name's; `name=` gives the game another name.

    Raises:
      ValueError: No game has the name, or it has no such size, or a size is out of range, or its
        class lacks a method.
    """
    base, written = _split(plain(str, name, "name"))
    entry = _Entry(make_pgx, {}) if base.startswith(PGX_PREFIX) else _GAMES.get(base)
    sizes = entry.sizes
    given = _parse_sizes(base, written) | keywords
    for size in given.keys() - _NOT_SIZES - sizes.keys():
        hint = did_you_mean(size, sizes) if sizes else "it has one size only"
        raise ValueError(f"{base} has no size {size!r}; {hint}")
    kinds = {size: type(sizes.get(size)) for size in given}
    given = {
        size: plain(kinds[size], value, size) if kinds[size] in _PLAIN else value
        for size, value in given.items()
    }
    changed = {size: given[size] for size in sizes if given.get(size, sizes[size]) != sizes[size]}
    try:
        return entry.make(**({"name": _join(base, changed)} | entry.defaults | given))
    except TypeError as error:
        raise ValueError(f"game {name!r} cannot be made: {error}") from error


def _split(name: str) -> tuple[str, str]:
    """Splits a name into the game's and the sizes; names of Pgx have a colon of their own."""
    prefix = PGX_PREFIX if name.startswith(PGX_PREFIX) else ""
    base, _, sizes = name.removeprefix(prefix).partition(":")
    return prefix + base, sizes


def _join(base: str, sizes: dict[str, Any]) -> str:
    """Returns the name of a game in other sizes; a size of several numbers cannot be read back."""
    written = ",".join(f"{size}={str(value).lower()}" for size, value in sizes.items())
    return f"{base}:{written}" if written else base


def _parse_sizes(base: str, written: str) -> dict[str, Any]:
    """Returns the sizes of `size=7,swap=true`, by TOML: bool, int, float, or else the text."""
    sizes: dict[str, Any] = {}
    for entry in filter(None, written.split(",")):
        size, equals, text = entry.partition("=")
        if not equals:
            raise ValueError(f"{base}: {entry!r} is no size: write SIZE=VALUE, separated by commas")
        if size in sizes:
            raise ValueError(f"{base}: {size} is given twice")
        try:
            sizes[size] = tomllib.loads(f"size = {text}")["size"]
        except tomllib.TOMLDecodeError:
            sizes[size] = text
    return sizes
