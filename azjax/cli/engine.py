"""`azjax gtp` and `azjax uci`."""

import contextlib
import dataclasses
import importlib.metadata
import secrets
import select
import sys
from collections.abc import Callable, Iterable
from typing import Protocol

from azjax.agents.gtp_player import LocalGtpPlayer, gtp_player_maker
from azjax.agents.player_spec import NamedPlayer
from azjax.cli.output import warn
from azjax.cli.players import PlayerOptions
from azjax.config.flags import parse_flags
from azjax.engines.gtp_server import GtpServer, IsWaiting
from azjax.engines.uci_board import uci_board
from azjax.engines.uci_server import UciServer
from azjax.games import Game
from azjax.support.errors import InputError, input_errors

_SEED_BITS = 31


@dataclasses.dataclass(frozen=True)
class GtpOptions(PlayerOptions):
    """Play as an engine, by the Go Text Protocol (GTP) on standard input and output.

    It plays Go, Othello, Hex, Connect Four, and k-in-a-row games such as Gomoku on a square board.
    With --seconds a move takes less where the controller's clock leaves less.
    """


@dataclasses.dataclass(frozen=True)
class UciOptions(PlayerOptions):
    """Play as an engine, by the Universal Chess Interface (UCI) on standard input and output.

    It plays pgx:chess, and pgx:gardner_chess and pgx:animal_shogi as Fairy-Stockfish writes them.
    With --seconds a move takes less where the controller's clock leaves less.
    """


class _Server(Protocol):
    def serve(
        self, lines: Iterable[str], write: Callable[[str], object], is_waiting: IsWaiting
    ) -> None: ...


_MakePlayer = Callable[[Game], LocalGtpPlayer]


def gtp_command(arguments: list[str]) -> None:
    """Runs `azjax gtp PLAYER ...`."""
    options = parse_flags(GtpOptions, arguments, "azjax gtp")
    _serve(options, "GTP", GtpServer)


def uci_command(arguments: list[str]) -> None:
    """Runs `azjax uci PLAYER ...`."""
    options = parse_flags(UciOptions, arguments, "azjax uci")

    def make_server(game: Game, make_player: _MakePlayer, version: str) -> UciServer:
        uci_board(game)  # before the player is compiled
        return UciServer(game, make_player(game), version)

    _serve(options, "UCI", make_server)


def _serve(
    options: PlayerOptions, protocol: str, make_server: Callable[[Game, _MakePlayer, str], _Server]
) -> None:
    """Answers commands by a server, which takes the game, what makes its player, and a version."""

    def load(game: str | None) -> NamedPlayer:
        return dataclasses.replace(options, game=game).load()

    output = sys.stdout

    def write(response: str) -> None:
        output.write(response)
        output.flush()

    with contextlib.redirect_stdout(sys.stderr):  # standard output carries the protocol alone
        named = load(options.game)
        warn(named.warnings)
        make_player = gtp_player_maker(named, load, secrets.randbits(_SEED_BITS))
        with input_errors():
            server = make_server(named.game, make_player, importlib.metadata.version("azjax"))
        if sys.stdin is None:
            raise InputError(f"standard input is closed: commands of {protocol} come from there")
        warn([f"{named.description} is ready"])
        with open(sys.stdin.fileno(), "rb", buffering=0, closefd=False) as stdin:
            lines = (line.decode(errors="replace") for line in stdin)

            def is_waiting(seconds: float) -> bool:  # there is no buffer, so nothing is read yet
                return bool(select.select([stdin], [], [], seconds)[0])

            server.serve(lines, write, is_waiting)
