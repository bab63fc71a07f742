"""An engine that plays games of azjax by GTP, one at a time."""

from collections.abc import Sequence

import numpy as np

from azjax.engines.gtp_client import (
    START_SECONDS,
    EngineError,
    GtpClient,
    RefusedError,
    in_one_line,
)
from azjax.engines.gtp_syntax import gtp_board
from azjax.games import Game
from azjax.games.go.rules import Go
from azjax.games.othello import Othello

_COLOURS = ("black", "white")  # of player 0 and player 1
_SECONDS = 300.0  # the limit of a move where none is given
_GRACE = 1.0  # seconds that an engine may exceed the limit that it has been told


class GtpEngine:
    """A process that follows a game by its moves."""

    def __init__(
        self,
        game: Game,
        command: Sequence[str],
        seconds: int | None,
        start_seconds: int = START_SECONDS,
    ):
        """Starts the process, without waiting for its answers.

        Args:
          game: The game, which `gtp_board` knows.
          command: The words of the command.
          seconds: The time limit of a move, which the engine is told; None for 300 s, untold.
          start_seconds: That of an answer to any other command.

        Raises:
          EngineError: It cannot be started.
        """
        self._game, self._seconds, self._board = game, seconds, gtp_board(game)
        self._client, self._is_prepared = GtpClient(command, start_seconds), False
        self._played: list[int] | None = None  # the game that the engine knows, if any

    def prepare(self) -> None:
        """Sets the board, the komi and the time limit, once.

        Raises:
          EngineError: The engine does not play this game, or does not speak GTP.
        """
        if self._is_prepared:
            return
        self._client.greet()
        commands = [f"boardsize {self._board.size}"]
        if isinstance(self._game, Go):
            commands.append(f"komi {self._game.komi:g}")
        if self._seconds is not None and self._client.knows("time_settings"):
            commands.append(f"time_settings 0 {self._seconds} 1")
        for command in commands:
            try:
                self._client.send(command)
            except RefusedError as error:
                raise EngineError(
                    f"does not play {self._game.name}: it answers {command!r} by '? {error}'"
                ) from error
        self._is_prepared = True

    def choose(self, actions: Sequence[int], legal: np.ndarray, seed: int) -> int | None:
        """Returns the engine's move; None if it resigns.

        A forced pass in Othello is not asked for: some engines pass by themselves.

        Args:
          actions: Those of the game so far; player 0 and player 1 have moved in turns.
          legal: bool[A], the legal actions.
          seed: The seed of the moves, for a new game and an engine that knows `set_random_seed`.

        Raises:
          EngineError: The engine fails, or refuses a move of the game, or plays an illegal one.
        """
        self._follow(actions, seed)
        if isinstance(self._game, Othello) and legal[-1]:
            return self._game.num_actions - 1
        limit = _SECONDS if self._seconds is None else self._seconds + _GRACE
        text = self._send(f"genmove {_COLOURS[len(actions) % 2]}", limit)
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

    def kill(self) -> None:
        """Kills the process, while another thread may wait for its move."""
        self._client.kill()

    def close(self) -> None:
        """Ends the process; no thread may wait for its move."""
        self._client.close()

    def _follow(self, actions: Sequence[int], seed: int) -> None:
        """Tells the engine the moves that it does not know."""
        if self._played is None or self._played != list(actions[: len(self._played)]):
            self._send("clear_board")
            if self._client.knows("set_random_seed"):
                self._send(f"set_random_seed {seed}")
            self._played = []
        for action in actions[len(self._played) :]:
            self._play(_COLOURS[len(self._played) % 2], action)
            self._played.append(action)

    def _play(self, colour: str, action: int) -> None:
        try:
            self._client.send(f"play {colour} {self._board.format(action)}")
        except RefusedError as error:
            # In Othello a pass is forced, and some engines pass by themselves.
            if not (isinstance(self._game, Othello) and action == self._game.num_actions - 1):
                move = self._game.format_action(action)
                raise EngineError(f"refuses the move {move}: '? {error}'") from error

    def _send(self, command: str, seconds: float | None = None) -> str:
        try:
            return self._client.send(command, seconds)
        except RefusedError as error:
            raise EngineError(f"answers {command!r} by '? {error}'") from error
