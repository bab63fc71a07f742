"""Engines that play by the Go Text Protocol (GTP), version 2."""

import re
from collections.abc import Sequence

import numpy as np

from azjax.engines.engine_process import (
    START_SECONDS,
    EngineError,
    EngineProcess,
    in_one_line,
    move_limit,
)
from azjax.engines.gtp_syntax import gtp_board
from azjax.games import Game
from azjax.games.go.rules import Go
from azjax.games.othello import Othello

_COLOURS = ("black", "white")  # of player 0 and player 1


class RefusedError(Exception):
    """The engine answers a command with `?`; the text is what it says."""


class GtpClient(EngineProcess):
    """An engine that is sent commands."""

    _commands = frozenset[str]()  # that it lists

    def greet(self) -> None:
        """Asks which commands the engine knows; raises EngineError if it does not speak GTP 2."""
        try:
            version = self.send("protocol_version")
            self._commands = frozenset(self.send("list_commands").split())
        except RefusedError as error:
            raise EngineError(f"does not speak GTP: it answers '? {error}'") from error
        if version != "2":
            raise EngineError(f"speaks version {version} of GTP, where 2 is needed")

    def knows(self, command: str) -> bool:
        """Tells whether the engine, once greeted, lists a command."""
        return command in self._commands

    def send(self, command: str, seconds: float | None = None) -> str:
        """Sends a command, and returns the answer.

        Raises:
          RefusedError: The engine refuses the command.
          EngineError: It has ended, or does not answer in time, or as GTP wants it.
        """
        answer = self.ask(command, _find_answer, seconds)
        match = re.fullmatch(r"([=?])(.*)", answer, re.DOTALL)
        if match is None:
            raise EngineError(
                f"does not speak GTP: it answers {command!r} by {in_one_line(answer)!r}"
            )
        status, text = match[1], match[2].strip()
        if status == "?":
            raise RefusedError(in_one_line(text))
        return text


class GtpEngine(GtpClient):
    """An engine that follows a game by its moves."""

    def __init__(
        self,
        game: Game,
        command: Sequence[str],
        seconds: int | None,
        start_seconds: int = START_SECONDS,
    ):
        """Starts the process for a game that `gtp_board` knows.

        The engine is told the time limit of a move; if there is none, it has 300 s. That of other
        answers is `start_seconds`.
        """
        super().__init__(command, start_seconds)
        self._game, self._move_seconds, self._board = game, seconds, gtp_board(game)
        self._is_prepared = False
        self._played: list[int] | None = None  # the game that the engine knows, if any

    def prepare(self) -> None:
        """Sets the board, the komi and the time limit, once; raises EngineError if it cannot."""
        if self._is_prepared:
            return
        self.greet()
        commands = [f"boardsize {self._board.size}"]
        if isinstance(self._game, Go):
            commands.append(f"komi {self._game.komi:g}")
        if self._move_seconds is not None and self.knows("time_settings"):
            commands.append(f"time_settings 0 {self._move_seconds} 1")
        for command in commands:
            try:
                self.send(command)
            except RefusedError as error:
                raise EngineError(
                    f"does not play {self._game.name}: it answers {command!r} by '? {error}'"
                ) from error
        self._is_prepared = True

    def choose(self, actions: Sequence[int], legal: np.ndarray, seed: int) -> int | None:
        """Returns the engine's move; None if it resigns.

        A forced pass in Othello is not asked for: some engines pass by themselves. The players
        have moved in turns. An engine that knows `set_random_seed` is seeded for a new game.

        Raises:
          EngineError: The engine fails, or refuses a move of the game, or plays an illegal one.
        """
        self._follow(actions, seed)
        if isinstance(self._game, Othello) and legal[-1]:
            return self._game.num_actions - 1
        text = self._demand(f"genmove {_COLOURS[len(actions) % 2]}", move_limit(self._move_seconds))
        if text.lower() == "resign":
            self._played = None
            return None
        try:
            action = self._board.parse(text)
        except ValueError as error:
            raise EngineError(f"plays {in_one_line(text)!r}, which is no vertex") from error
        if not legal[action]:
            raise EngineError(f"plays {self._game.format_action(action)}, which is illegal")
        self._played = [*actions, action]
        return action

    def _follow(self, actions: Sequence[int], seed: int) -> None:
        """Tells the engine the moves that it does not know."""
        if self._played is None or self._played != list(actions[: len(self._played)]):
            self._demand("clear_board")
            if self.knows("set_random_seed"):
                self._demand(f"set_random_seed {seed}")
            self._played = []
        for action in actions[len(self._played) :]:
            colour = _COLOURS[len(self._played) % 2]
            try:
                self.send(f"play {colour} {self._board.format(action)}")
            except RefusedError as error:
                # In Othello a pass is forced, and some engines pass by themselves.
                if not (isinstance(self._game, Othello) and action == self._game.num_actions - 1):
                    move = self._game.format_action(action)
                    raise EngineError(f"refuses the move {move}: '? {error}'") from error
            self._played.append(action)

    def _demand(self, command: str, seconds: float | None = None) -> str:
        """Sends a command that no engine may refuse."""
        try:
            return self.send(command, seconds)
        except RefusedError as error:
            raise EngineError(f"answers {command!r} by '? {error}'") from error


def _find_answer(unread: bytes) -> tuple[bytes, str | None]:
    """Finds all up to an empty line."""
    unread = unread.lstrip(b"\n")
    answer, end, rest = unread.partition(b"\n\n")
    return (rest, answer.decode(errors="replace")) if end else (unread, None)
