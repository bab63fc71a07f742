"""azjax as an engine: the commands of the Go Text Protocol (GTP), version 2."""

import contextlib
import functools
import math
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol

from azjax.engines.game_clock import GameClock
from azjax.engines.gtp_game import GtpGame
from azjax.engines.gtp_syntax import (
    COLOURS,
    SYNTAX_ERROR,
    GtpError,
    gtp_board,
    parse_colour,
    parse_float,
    parse_int,
    parse_line,
)
from azjax.evaluation import read_searches
from azjax.games import Game, State, make
from azjax.games.connect_four import ConnectFour
from azjax.games.go.rules import Go
from azjax.games.mnk import Mnk
from azjax.search import SearchResult, most_visited_line
from azjax.support.errors import InputError

_INTERVAL = 1.0  # seconds between two lines of an analysis, if the command says nothing

# A search in progress: after every few simulations, what returns its result so far, until the next.
Searches = Iterator[Callable[[], SearchResult]]
IsWaiting = Callable[[float], bool]  # tells within some seconds whether a command waits to be read
_Stream = Callable[[IsWaiting], Iterator[str]]  # the lines of a response, as long as none waits
_Run = Callable[[list[str]], str | _Stream | None]  # takes a command's arguments


class ServedPlayer(Protocol):
    """Chooses moves at one game."""

    def choose(self, state: State, seconds: float | None) -> int:
        """Returns a legal action in an unfinished state.

        The controller's clock leaves these seconds for the move; None without a limit.
        """

    def analyze(self, state: State, most: int | None = None) -> Searches | None:
        """Returns a search of an unfinished state; None if the player has none to be watched.

        It ends after `most` simulations, if given.
        """


class GtpServer:
    """Answers commands, one line at a time.

    `boardsize` makes the game in another size and `komi` with another komi, if the player plays it.
    In games other than Go a komi means nothing.
    """

    def __init__(self, game: Game, make_player: Callable[[Game], ServedPlayer], version: str):
        """Starts with a player at the given game; `version` is the program's.

        `make_player` returns the player of a game, ready to move at once, or raises InputError.

        Raises:
          ValueError: GTP does not know the game's board.
          InputError: The player does not play the game.
        """
        self.has_quit = False
        self._game, self._clock = GtpGame(game), GameClock()
        self._make_player, self._player = make_player, make_player(game)
        self._commands: dict[str, _Run] = {
            "protocol_version": _taking(lambda: "2"),
            "name": _taking(lambda: "azjax"),
            "version": _taking(lambda: version),
            "known_command": _taking(lambda name: str(name in self._commands).lower(), str),
            "list_commands": _taking(lambda: "\n".join(self._commands)),
            "quit": _taking(self._quit),
            "boardsize": _taking(self._boardsize, parse_int),
            "clear_board": _taking(self._clear_board),
            "komi": _taking(self._komi, parse_float),
            "play": _taking(self._play, parse_colour, str),
            "genmove": _taking(self._genmove, parse_colour),
            "reg_genmove": _taking(self._reg_genmove, parse_colour),
            "undo": _taking(lambda: self._game.undo()),
            "time_settings": _taking(self._clock.set, parse_int, parse_int, parse_int),
            "time_left": _taking(self._clock.tell, parse_colour, parse_int, parse_int),
            "final_score": _taking(lambda: self._game.score()),
            "showboard": _taking(lambda: self._game.draw()),
            "lz-analyze": self._lz_analyze,
        }

    def serve(
        self, lines: Iterable[str], write: Callable[[str], object], is_waiting: IsWaiting
    ) -> None:
        """Answers line after line, until `quit` or the last, by writing parts of responses."""
        for line in lines:
            for part in self.respond(line, is_waiting):
                write(part)
            if self.has_quit:
                return

    def respond(self, line: str, is_waiting: IsWaiting) -> Iterator[str]:
        """Yields the parts of the response to a line, which end with an empty line; or nothing.

        An analysis has a line more as long as no command waits.
        """
        command = parse_line(line)
        if command is None:
            return
        try:
            if command.name not in self._commands:
                raise GtpError("unknown command")
            response = self._commands[command.name](command.arguments)
        except GtpError as error:
            yield f"?{command.id} {error}\n\n"
            return
        if callable(response):
            yield f"={command.id}\n"
            for text in response(is_waiting):
                yield f"{text}\n"
            yield "\n"
        else:
            yield f"={command.id} {response}\n\n" if response else f"={command.id}\n\n"

    def _quit(self) -> None:
        self.has_quit = True

    def _boardsize(self, size: int) -> None:
        with _refusing("unacceptable size"):
            game = _make_sized(self._game.game, size)
            gtp_board(game)
            self._change_player(game)
        self._game = GtpGame(game)
        self._clock.restart()

    def _clear_board(self) -> None:
        self._game = GtpGame(self._game.game)
        self._clock.restart()

    def _komi(self, komi: float) -> None:
        game = self._game.game
        if isinstance(game, Go):
            with _refusing("unacceptable komi"):
                game = make(game.name, komi=komi)
                self._change_player(game)
            self._game = GtpGame(game, self._game.states)

    def _play(self, colour: int, vertex: str) -> None:
        self._game.play(colour, self._game.parse_vertex(vertex))

    def _genmove(self, colour: int) -> str:
        state, start = self._turn_to(colour), time.perf_counter()
        action = self._player.choose(state, self._clock.allowance(colour))
        self._clock.spend(colour, time.perf_counter() - start)
        self._game.play(colour, action)
        return self._game.board.format(action)

    def _reg_genmove(self, colour: int) -> str:
        return self._game.board.format(self._player.choose(self._turn_to(colour), None))

    def _turn_to(self, colour: int) -> State:
        if self._game.state.terminated:
            raise GtpError("the game is over")
        return self._game.turn_to(colour)

    def _lz_analyze(self, arguments: list[str]) -> _Stream:
        colour = int(self._game.state.current_player)
        if arguments and arguments[0].lower() in COLOURS:
            colour, arguments = parse_colour(arguments[0]), arguments[1:]
        interval = _parse_interval(arguments)
        searches = self._player.analyze(self._turn_to(colour))
        if searches is None:
            raise GtpError("the player has no search that can be watched")
        return functools.partial(_stream_analysis, self._game, searches, interval)

    def _change_player(self, game: Game) -> None:
        if game != self._game.game:
            self._player = self._make_player(game)


@contextlib.contextmanager
def _refusing(message: str) -> Iterator[None]:
    """Fails with a message if there is no such game, or the player does not play it."""
    try:
        yield
    except (ValueError, InputError):
        raise GtpError(message) from None


def _make_sized(game: Game, size: int) -> Game:
    """Returns the game on a board of another size; raises ValueError if there is none."""
    if isinstance(game, Mnk):
        return make(game.name, rows=size, columns=size)
    if isinstance(game, ConnectFour):
        return make(game.name, columns=size)
    return make(game.name, size=size)


def _taking(function: Callable[..., Any], *parsers: Callable[[str], Any]) -> Callable[..., Any]:
    """Returns what calls a function with a command's first arguments, parsed; it ignores more."""

    def run(arguments: list[str]) -> Any:
        if len(arguments) < len(parsers):
            raise GtpError(SYNTAX_ERROR)
        return function(*(parse(text) for parse, text in zip(parsers, arguments, strict=False)))

    return run


def _parse_interval(arguments: list[str]) -> float:
    """Returns the seconds of `CENTISECONDS` or `interval CENTISECONDS`, if there are any."""
    match arguments:
        case []:
            return _INTERVAL
        case [number] | ["interval", number]:
            return parse_int(number) / 100
    raise GtpError(SYNTAX_ERROR)


def _format_analysis(game: GtpGame, result: SearchResult) -> str:
    """Returns a line of the visited moves of a search of one position, the best first.

    Its numbers are from the view of the player to move; winrate and prior are ten thousandths. It
    is `lz-analyze`'s, as graphical clients of Leela Zero read it.
    """
    [found] = read_searches(game.game, result)
    assert found.visits is not None
    assert found.prior is not None
    assert found.q_values is not None
    moves = []
    visited = (action for action in found.tried_actions() if found.visits[action])
    for order, action in enumerate(visited):
        line = map(game.board.format, [action, *most_visited_line(result, 0, action)])
        winrate, prior = (1 + found.q_values[action]) / 2, found.prior[action]
        moves.append(
            f"info move {game.board.format(action)} visits {found.visits[action]} "
            f"winrate {round(10_000 * winrate)} prior {round(10_000 * prior)} "
            f"order {order} pv {' '.join(line)}"
        )
    return " ".join(moves)


def _stream_analysis(
    game: GtpGame, searches: Searches, interval: float, is_waiting: IsWaiting
) -> Iterator[str]:
    """Yields a line about a search every `interval` seconds until a command waits; one at least."""
    told = -math.inf
    for read in searches:
        if time.perf_counter() - told >= interval:
            yield _format_analysis(game, read())
            told = time.perf_counter()
        if is_waiting(0):
            return
    yield _format_analysis(game, read())
    while not is_waiting(1):
        pass
