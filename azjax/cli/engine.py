"""`azjax gtp` and `azjax uci`."""

import contextlib
import dataclasses
import importlib.metadata
import secrets
import select
import sys

from azjax.agents.player_spec import NamedPlayer
from azjax.agents.served_player import served_player_maker
from azjax.cli.output import warn
from azjax.cli.players import PlayerOptions
from azjax.config.flags import parse_flags
from azjax.engines.gtp_server import GtpServer
from azjax.engines.uci_server import UciServer
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


def gtp_command(arguments: list[str]) -> None:
    """Runs `azjax gtp PLAYER ...`."""
    _serve(parse_flags(GtpOptions, arguments, "azjax gtp"), GtpServer)


def uci_command(arguments: list[str]) -> None:
    """Runs `azjax uci PLAYER ...`."""
    _serve(parse_flags(UciOptions, arguments, "azjax uci"), UciServer)


def _serve(options: PlayerOptions, server_type: type[GtpServer | UciServer]) -> None:
    """Answers the commands on standard input until they end."""

    def load(game: str | None) -> NamedPlayer:
        return dataclasses.replace(options, game=game).load()

    output = sys.stdout

    def write(response: str) -> None:
        output.write(response)
        output.flush()

    with contextlib.redirect_stdout(sys.stderr):  # standard output carries the protocol alone
        named = load(options.game)
        warn(named.warnings)
        make_player = served_player_maker(named, load, secrets.randbits(_SEED_BITS))
        with input_errors():
            server = server_type(named.game, make_player, importlib.metadata.version("azjax"))
        if sys.stdin is None:
            raise InputError("standard input is closed: commands come from there")
        warn([f"{named.description} is ready"])
        with open(sys.stdin.fileno(), "rb", buffering=0, closefd=False) as stdin:
            lines = (line.decode(errors="replace") for line in stdin)

            def is_waiting(seconds: float) -> bool:  # there is no buffer, so nothing is read yet
                return bool(select.select([stdin], [], [], seconds)[0])

            server.serve(lines, write, is_waiting)
