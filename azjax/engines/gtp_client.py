"""Engines in processes of their own, which play by the Go Text Protocol (GTP), version 2."""

import contextlib
import os
import re
import selectors
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from subprocess import PIPE

import numpy as np

from azjax.engines.gtp_syntax import gtp_board
from azjax.games import Game
from azjax.games.go.rules import Go
from azjax.games.othello import Othello
from azjax.support.errors import RunError
from azjax.support.signals import signal_name

START_SECONDS = 60  # for a command other than genmove; an engine may load its data at the first
_COLOURS = ("black", "white")  # of player 0 and player 1
_SECONDS = 300.0  # the limit of a move where none is given
_GRACE = 1.0  # seconds that an engine may exceed the limit that it has been told
_MOST_BYTES = 1 << 20  # of an answer
_MOST_STDERR = 4096  # bytes, of which the last line is shown
_MOST_SHOWN = 120  # characters of what an engine writes


class EngineError(RunError):
    """An engine does not do what it should; the text says what it does, without a subject."""


class RefusedError(Exception):
    """The engine answers a command with `?`; the text is what it says."""


@contextlib.contextmanager
def engine_errors(name: str) -> Iterator[None]:
    """Converts an EngineError raised inside into a RunError that begins with the engine's name."""
    try:
        yield
    except EngineError as error:
        raise RunError(f"{name} {error}") from error


def in_one_line(text: str) -> str:
    """Returns what an engine writes, for a message: printable, and not longer than 120."""
    line = "".join(c if c.isprintable() else "?" for c in " ".join(text.split()))
    return line if len(line) <= _MOST_SHOWN else f"{line[:_MOST_SHOWN]}..."


class GtpClient:
    """An engine that is sent commands.

    Its process is in a group of its own, so that Ctrl-C is not its, and its children end with it.
    """

    def __init__(self, command: Sequence[str], seconds: float = START_SECONDS):
        """Starts the engine by the words of its command, without waiting for its answers.

        The seconds are the limit of each answer, unless `send` is given another. Raises EngineError
        if the engine cannot be started.
        """
        self._seconds = seconds
        self._commands = frozenset[str]()  # that it lists
        try:
            self._process = subprocess.Popen(
                command, bufsize=0, stdin=PIPE, stdout=PIPE, stderr=PIPE, start_new_session=True
            )
        except OSError as error:
            raise EngineError(f"cannot be started: {error.strerror}") from error
        assert self._process.stdin
        assert self._process.stdout
        assert self._process.stderr
        self._pipes = self._process.stdin, self._process.stdout, self._process.stderr
        self._stdout, self._stderr = self._process.stdout.fileno(), self._process.stderr.fileno()
        self._answer, self._errors = b"", b""
        self._selector = selectors.DefaultSelector()
        for descriptor in (self._stdout, self._stderr):
            self._selector.register(descriptor, selectors.EVENT_READ)

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
          EngineError: It has ended, or does not answer in time, or as GTP wants it. Without an
            answer it is killed: a late one must not be taken for that to the next command.
        """
        try:
            answer = self._ask(command, self._seconds if seconds is None else seconds)
        except EngineError:
            self.kill()
            raise
        match = re.fullmatch(r"([=?])(.*)", answer, re.DOTALL)
        if match is None:
            raise EngineError(
                f"does not speak GTP: it answers {command!r} by {in_one_line(answer)!r}"
            )
        status, text = match[1], match[2].strip()
        if status == "?":
            raise RefusedError(in_one_line(text))
        return text

    def _ask(self, line: str, seconds: float) -> str:
        """Returns the answer: all up to an empty line, without carriage returns."""
        deadline = time.monotonic() + seconds
        try:
            self._pipes[0].write(line.encode() + b"\n")
        except BrokenPipeError:
            raise self._ended() from None
        while b"\n\n" not in (text := self._answer.replace(b"\r", b"").lstrip(b"\n")):
            if len(text) > _MOST_BYTES:
                raise EngineError(f"answers {line!r} without end")
            if (left := deadline - time.monotonic()) <= 0:
                raise EngineError(f"does not answer {line!r} within {seconds:g} s")
            self._read(left)
        answer, _, self._answer = text.partition(b"\n\n")
        return answer.decode(errors="replace")

    def kill(self) -> None:
        """Kills the process and its children; another thread that waits for an answer goes on."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def close(self) -> None:
        """Kills the process, and lets go of its pipes; no thread may wait for an answer."""
        self.kill()
        self._process.wait()
        self._selector.close()
        for pipe in self._pipes:
            pipe.close()

    def _read(self, seconds: float) -> None:
        """Reads what there is within some seconds."""
        for key, _ in self._selector.select(seconds):
            data = os.read(key.fd, 1 << 16)
            if key.fd == self._stdout:
                if not data:
                    raise self._ended()
                self._answer += data
            elif data:
                self._errors = (self._errors + data)[-_MOST_STDERR:]
            else:
                self._selector.unregister(key.fd)

    def _ended(self) -> EngineError:
        """Returns the error of a process that has closed its pipes."""
        try:
            status = self._process.wait(1)
        except subprocess.TimeoutExpired:
            return EngineError("has closed its output")
        words = f"has ended with exit status {status}"
        if status < 0:
            words = f"was killed by {signal_name(-status)}"
        for key, _ in self._selector.select(0):
            if key.fd == self._stderr:
                self._errors += os.read(key.fd, _MOST_STDERR)
        lines = self._errors.decode(errors="replace").split("\n")
        last = next((in_one_line(line) for line in reversed(lines) if line.strip()), "")
        return EngineError(f"{words}: {last}" if last else words)


class GtpEngine:
    """A process that follows a game by its moves."""

    def __init__(
        self,
        game: Game,
        command: Sequence[str],
        seconds: int | None,
        start_seconds: int = START_SECONDS,
    ):
        """Starts the process, as `GtpClient` does, for a game that `gtp_board` knows.

        The engine is told the time limit of a move; if there is none, it has 300 s. That of other
        answers is `start_seconds`.
        """
        self._game, self._seconds, self._board = game, seconds, gtp_board(game)
        self._client, self._is_prepared = GtpClient(command, start_seconds), False
        self._played: list[int] | None = None  # the game that the engine knows, if any

    def prepare(self) -> None:
        """Sets the board, the komi and the time limit, once; raises EngineError if it cannot."""
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

        A forced pass in Othello is not asked for: some engines pass by themselves. The players
        have moved in turns. An engine that knows `set_random_seed` is seeded for a new game.

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
            colour = _COLOURS[len(self._played) % 2]
            try:
                self._client.send(f"play {colour} {self._board.format(action)}")
            except RefusedError as error:
                # In Othello a pass is forced, and some engines pass by themselves.
                if not (isinstance(self._game, Othello) and action == self._game.num_actions - 1):
                    move = self._game.format_action(action)
                    raise EngineError(f"refuses the move {move}: '? {error}'") from error
            self._played.append(action)

    def _send(self, command: str, seconds: float | None = None) -> str:
        try:
            return self._client.send(command, seconds)
        except RefusedError as error:
            raise EngineError(f"answers {command!r} by '? {error}'") from error
