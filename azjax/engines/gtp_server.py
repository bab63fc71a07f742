"""azjax as an engine: the commands of the Go Text Protocol (GTP), version 2."""

import contextlib
import functools
import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol

from azjax.engines.game_clock import GameClock, TimeSettings
from azjax.engines.gtp_analysis import IsWaiting, Searches, parse_interval, stream_analysis
from azjax.engines.gtp_command import (
    SYNTAX_ERROR,
    UNKNOWN_COMMAND,
    Command,
    GtpError,
    format_failure,
    format_response,
    parse_line,
)
from azjax.engines.gtp_game import COLOURS, GtpGame, Position, parse_colour
from azjax.engines.gtp_handicap import (
    check_free_handicap,
    choose_handicap,
    fixed_handicap,
    handicap_position,
)
from azjax.games import Game, State, make
from azjax.games.connect_four import ConnectFour
from azjax.games.go.rules import Go
from azjax.games.mnk import Mnk
from azjax.support.errors import InputError

_LARGEST = 2**31 - 1  # of an integer
_KGS_NUMBERS = {"none": 0, "absolute": 1, "byoyomi": 3, "canadian": 3}  # after the kind of time

_Stream = Callable[[IsWaiting], Iterator[str]]  # the lines of a response, as long as none waits


class GtpPlayer(Protocol):
    """Chooses moves at one game."""

    def choose(self, state: State, actions: Sequence[int], seconds: float | None) -> int:
        """Returns a legal action in an unfinished state.

        Args:
          state: The position.
          actions: Those that lead to it, from the start or from handicap stones.
          seconds: The time that the controller's clock leaves for the move; None without a limit.
        """

    def analyze(self, state: State) -> Searches | None:
        """Returns a search of an unfinished state; None if the player has none to be watched."""


class GtpServer:
    """Answers commands, one line at a time.

    `boardsize` makes the game in another size and `komi` with another komi, if the player plays it.
    In games other than Go a komi means nothing.
    """

    def __init__(self, game: Game, make_player: Callable[[Game], GtpPlayer], version: str):
        """Starts with a player at the given game.

        Args:
          game: The game.
          make_player: Returns the player of a game, ready to move at once; an InputError says that
            it does not play the game.
          version: That of the program.

        Raises:
          ValueError: GTP does not know the game's board.
          InputError: The player does not play the game.
        """
        self.has_quit = False
        self._game, self._clock = GtpGame(game), GameClock()
        self._make_player, self._player = make_player, make_player(game)
        self._game.prepare()
        self._commands: dict[str, Callable[[list[str]], str | _Stream]] = {
            "protocol_version": lambda arguments: "2",
            "name": lambda arguments: "azjax",
            "version": lambda arguments: version,
            "known_command": self._known_command,
            "list_commands": lambda arguments: "\n".join(self._commands),
            "quit": self._quit,
            "boardsize": self._boardsize,
            "clear_board": self._clear_board,
            "komi": self._komi,
            "play": self._play,
            "genmove": self._genmove,
            "reg_genmove": self._reg_genmove,
            "undo": self._undo,
            "time_settings": self._time_settings,
            "kgs-time_settings": self._kgs_time_settings,
            "time_left": self._time_left,
            "final_score": lambda arguments: self._game.score(),
            "showboard": lambda arguments: self._game.draw(),
            "lz-analyze": self._lz_analyze,
        }
        if isinstance(game, Go):
            self._commands |= {
                "fixed_handicap": self._fixed_handicap,
                "place_free_handicap": self._place_free_handicap,
                "set_free_handicap": self._set_free_handicap,
            }

    def serve(
        self, lines: Iterable[str], write: Callable[[str], object], is_waiting: IsWaiting
    ) -> None:
        """Answers line after line, until `quit` or the last.

        Args:
          lines: The lines.
          write: Writes a response, or a part of one.
          is_waiting: Tells within some seconds whether a line, or the end, waits to be read.
        """
        for line in lines:
            for part in self._respond(line, is_waiting):
                write(part)
            if self.has_quit:
                return

    def answer(self, line: str) -> str:
        """Returns the response to a line, with an empty line at its end; nothing to a comment.

        An analysis has one line, as if the next command waited.
        """
        return "".join(self._respond(line, lambda seconds: True))

    def _respond(self, line: str, is_waiting: IsWaiting) -> Iterator[str]:
        """Yields the parts of the response to a line."""
        command = parse_line(line)
        if command is None:
            return
        try:
            response = self._run(command)
        except GtpError as error:
            yield format_failure(command, str(error))
            return
        if isinstance(response, str):
            yield format_response(command, response)
        else:
            yield f"={command.id}\n"
            for text in response(is_waiting):
                yield f"{text}\n"
            yield "\n"

    def _run(self, command: Command) -> str | _Stream:
        if command.name not in self._commands:
            raise GtpError(UNKNOWN_COMMAND)
        return self._commands[command.name](command.arguments)

    def _known_command(self, arguments: list[str]) -> str:
        [name] = _take(arguments, 1)
        return "true" if name in self._commands else "false"

    def _quit(self, arguments: list[str]) -> str:
        del arguments
        self.has_quit = True
        return ""

    def _boardsize(self, arguments: list[str]) -> str:
        size = _parse_int(*_take(arguments, 1))
        with _refusing("unacceptable size"):
            game = _make_sized(self._game.game, size)
            restarted = GtpGame(game)
            self._change_player(game)
        self._game = restarted
        self._game.prepare()
        self._clock.restart()
        return ""

    def _clear_board(self, arguments: list[str]) -> str:
        del arguments
        self._game = GtpGame(self._game.game)
        self._clock.restart()
        return ""

    def _komi(self, arguments: list[str]) -> str:
        komi, game = _parse_float(*_take(arguments, 1)), self._game.game
        if isinstance(game, Go):
            with _refusing("unacceptable komi"):
                game = make(game.name, komi=komi)
                self._change_player(game)
            self._game.change_rules(game)
            self._game.prepare()
        return ""

    def _play(self, arguments: list[str]) -> str:
        colour, vertex = _take(arguments, 2)
        self._game.play(parse_colour(colour), self._game.parse_vertex(vertex))
        return ""

    def _genmove(self, arguments: list[str]) -> str:
        colour = parse_colour(*_take(arguments, 1))
        state, actions = self._turn_to(colour)
        start = time.perf_counter()
        action = self._player.choose(state, actions, self._clock.allowance(colour))
        self._clock.spend(colour, time.perf_counter() - start)
        self._game.play(colour, action)
        return self._game.format_action(action)

    def _reg_genmove(self, arguments: list[str]) -> str:
        state, actions = self._turn_to(parse_colour(*_take(arguments, 1)))
        return self._game.format_action(self._player.choose(state, actions, None))

    def _turn_to(self, colour: int) -> Position:
        if self._game.position.state.terminated:
            raise GtpError("the game is over")
        return self._game.turn_to(colour)

    def _lz_analyze(self, arguments: list[str]) -> _Stream:
        colour = int(self._game.position.state.current_player)
        if arguments and arguments[0].lower() in COLOURS:
            colour, arguments = parse_colour(arguments[0]), arguments[1:]
        interval = parse_interval(arguments)
        searches = self._player.analyze(self._turn_to(colour).state)
        if searches is None:
            raise GtpError("the player has no search that can be watched")
        return functools.partial(stream_analysis, self._game, searches, interval)

    def _fixed_handicap(self, arguments: list[str]) -> str:
        number = _parse_int(*_take(arguments, 1))
        return self._set_handicap(fixed_handicap(self._game.size, number))

    def _place_free_handicap(self, arguments: list[str]) -> str:
        number, size = _parse_int(*_take(arguments, 1)), self._game.size
        check_free_handicap(size, number)
        self._check_empty()
        try:
            cells = fixed_handicap(size, number)
        except GtpError:
            choose = functools.partial(self._player.choose, actions=(), seconds=None)
            cells = choose_handicap(self._go, number, choose)
        return self._set_handicap(cells)

    def _set_free_handicap(self, arguments: list[str]) -> str:
        try:
            cells = [self._game.parse_vertex(text) for text in arguments]
            check_free_handicap(self._game.size, len(cells))
        except GtpError:
            raise GtpError("bad vertex list") from None
        if len(set(cells)) < len(cells) or max(cells) == self._game.size**2:  # repeated, or a pass
            raise GtpError("bad vertex list")
        self._set_handicap(cells)
        return ""

    def _set_handicap(self, cells: list[int]) -> str:
        """Places handicap stones, which no `undo` takes back; white is to move."""
        self._check_empty()
        self._game.set_start(handicap_position(self._go, cells, "O"))
        return " ".join(map(self._game.format_action, cells))

    @property
    def _go(self) -> Go:
        assert isinstance(self._game.game, Go)
        return self._game.game

    def _check_empty(self) -> None:
        if not self._game.is_empty:
            raise GtpError("board not empty")

    def _undo(self, arguments: list[str]) -> str:
        del arguments
        self._game.undo()
        return ""

    def _time_settings(self, arguments: list[str]) -> str:
        main, period, stones = map(_parse_int, _take(arguments, 3))
        self._clock.set(TimeSettings(main, period, stones))
        return ""

    def _kgs_time_settings(self, arguments: list[str]) -> str:
        [kind] = _take(arguments, 1)
        if kind not in _KGS_NUMBERS:
            raise GtpError(SYNTAX_ERROR)
        numbers = list(map(_parse_int, _take(arguments[1:], _KGS_NUMBERS[kind])))
        main, period, stones = [*numbers, 0, 0, 0][:3]
        if kind == "none":
            period = 1  # for no stones: without a limit
        elif kind == "byoyomi":  # a period is of one move, and lost if it takes longer
            period, stones = (period, 1) if stones else (0, 0)
        self._clock.set(TimeSettings(main, period, stones))
        return ""

    def _time_left(self, arguments: list[str]) -> str:
        colour, seconds, stones = _take(arguments, 3)
        self._clock.tell(parse_colour(colour), _parse_int(seconds), _parse_int(stones))
        return ""

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
    """Returns the game on a board of another size.

    Raises:
      ValueError: There is none of this size.
    """
    if isinstance(game, Mnk):
        return make(game.name, rows=size, columns=size)
    if isinstance(game, ConnectFour):
        return make(game.name, columns=size)
    return make(game.name, size=size)


def _take(arguments: list[str], number: int) -> list[str]:
    """Returns the first arguments, as many as a command has; it ignores more."""
    if len(arguments) < number:
        raise GtpError(SYNTAX_ERROR)
    return arguments[:number]


def _parse_int(text: str) -> int:
    """Returns an integer from 0 to 2**31 - 1; raises GtpError if the text is none."""
    if not (text.isascii() and text.isdigit()) or len(text) > 10 or int(text) > _LARGEST:
        raise GtpError(SYNTAX_ERROR)
    return int(text)


def _parse_float(text: str) -> float:
    """Returns a finite number; raises GtpError if the text is none."""
    try:
        number = float(text)
    except ValueError:
        raise GtpError(SYNTAX_ERROR) from None
    if not math.isfinite(number):
        raise GtpError(SYNTAX_ERROR)
    return number
