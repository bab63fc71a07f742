"""Programs of others in processes of their own, which answer lines by lines."""

import contextlib
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from subprocess import PIPE

from azjax.support.errors import RunError
from azjax.support.signals import signal_name

START_SECONDS = 60  # for an answer that is no move; an engine may load its data at the first
_MOVE_SECONDS = 300.0  # the limit of a move where none is given
_GRACE = 1.0  # seconds that an engine may exceed the limit that it has been told
_MOST_BYTES = 1 << 20  # of an answer
_MOST_STDERR = 4096  # bytes, of which the last line is shown
_MOST_SHOWN = 120  # characters of what an engine writes

# Takes the bytes that are not yet read, and returns those that are left, and the answer, if any.
FindAnswer = Callable[[bytes], tuple[bytes, str | None]]


class EngineError(RunError):
    """An engine does not do what it should; the text says what it does, without a subject."""


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


def move_limit(seconds: int | None) -> float:
    """Returns the seconds to wait for a move of an engine that is told these, or none."""
    return _MOVE_SECONDS if seconds is None else seconds + _GRACE


class EngineProcess:
    """An engine that is sent lines.

    Its process is in a group of its own, so that Ctrl-C is not its, and its children end with it.
    """

    def __init__(self, command: Sequence[str], seconds: float = START_SECONDS):
        """Starts the engine by the words of its command, without waiting for its answers.

        The seconds are the limit of each answer, unless `ask` is given another. Raises EngineError
        if the engine cannot be started.
        """
        self._seconds = seconds
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
        self._unread, self._errors = b"", b""
        self._selector = selectors.DefaultSelector()
        for descriptor in (self._stdout, self._stderr):
            self._selector.register(descriptor, selectors.EVENT_READ)

    def tell(self, line: str) -> None:
        """Sends a line that has no answer; raises EngineError if the engine has ended."""
        try:
            self._pipes[0].write(line.encode() + b"\n")
        except BrokenPipeError:
            raise self._ended() from None

    def ask(self, line: str, find_answer: FindAnswer, seconds: float | None = None) -> str:
        """Sends a line, and returns the answer.

        Raises EngineError if the engine has ended, or does not answer in time. Without an answer it
        is killed: a late one must not be taken for that to the next line.
        """
        try:
            self.tell(line)
            return self._wait(line, find_answer, self._seconds if seconds is None else seconds)
        except EngineError:
            self.kill()
            raise

    def _wait(self, line: str, find_answer: FindAnswer, seconds: float) -> str:
        deadline = time.monotonic() + seconds
        while True:
            self._unread, answer = find_answer(self._unread.replace(b"\r", b""))
            if answer is not None:
                return answer
            if len(self._unread) > _MOST_BYTES:
                raise EngineError(f"answers {in_one_line(line)!r} without end")
            if (left := deadline - time.monotonic()) <= 0:
                line = in_one_line(line)
                raise EngineError(f"does not answer {line!r} within {seconds:g} s")
            self._read(left)

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
                self._unread += data
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
