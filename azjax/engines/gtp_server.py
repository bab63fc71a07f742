"""azjax as an engine: the commands of the Go Text Protocol (GTP), version 2."""

import contextlib
import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol

from azjax.engines.game_clock import GameClock, TimeSettings
from azjax.engines.gtp_command import (
    SYNTAX_ERROR,
    UNKNOWN_COMMAND,
    Command,
    GtpError,
    format_failure,
    format_response,
    parse_line,
)
from azjax.engines.gtp_game import GtpGame, parse_colour
from azjax.games import Game, State, make
from azjax.games.connect_four import ConnectFour
from azjax.games.go.rules import Go
from azjax.games.mnk import Mnk
from azjax.support.errors import InputError

_LARGEST = 2**31 - 1  # of an integer


class GtpPlayer(Protocol):
    """Chooses moves at one game."""

    def choose(self, state: State, actions: Sequence[int], seconds: float | None) -> int:
        """Returns a legal action in an unfinished state.

        Args:
          state: The position.
          actions: Those that lead to it.
          seconds: The time that the controller's clock leaves for the move; None without a limit.
        """


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
        self._commands: dict[str, Callable[[list[str]], str]] = {
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
            "undo": self._undo,
            "time_settings": self._time_settings,
            "time_left": self._time_left,
            "final_score": lambda arguments: self._game.score(),
            "showboard": lambda arguments: self._game.draw(),
        }

    def serve(self, lines: Iterable[str], write: Callable[[str], object]) -> None:
        """Answers line after line, until `quit` or the last."""
        for line in lines:
            if response := self.answer(line):
                write(response)
            if self.has_quit:
                return

    def answer(self, line: str) -> str:
        """Returns the response to a line, with an empty line at its end; nothing to a comment."""
        command = parse_line(line)
        if command is None:
            return ""
        try:
            return format_response(command, self._run(command))
        except GtpError as error:
            return format_failure(command, str(error))

    def _run(self, command: Command) -> str:
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
        if self._game.position.state.terminated:
            raise GtpError("the game is over")
        state, actions = self._game.turn_to(colour)
        start = time.perf_counter()
        action = self._player.choose(state, actions, self._clock.allowance(colour))
        self._clock.spend(colour, time.perf_counter() - start)
        self._game.play(colour, action)
        return self._game.format_action(action)

    def _undo(self, arguments: list[str]) -> str:
        del arguments
        self._game.undo()
        return ""

    def _time_settings(self, arguments: list[str]) -> str:
        main, period, stones = map(_parse_int, _take(arguments, 3))
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
