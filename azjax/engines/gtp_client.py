"""The controller's side of the Go Text Protocol, version 2."""

import re

from azjax.engines.process import EngineError, EngineProcess, in_one_line

START_SECONDS = 60  # for a command other than genmove; an engine may load its data at the first


class RefusedError(Exception):
    """The engine answers a command with `?`; the text is what it says."""


class GtpClient:
    """An engine that is sent commands."""

    def __init__(self, process: EngineProcess, seconds: float = START_SECONDS):
        """Asks which protocol the engine speaks, and which commands it knows.

        Args:
          process: The engine.
          seconds: The time limit of each answer, unless `send` is given another.

        Raises:
          EngineError: It speaks another protocol, or none.
        """
        self._process, self._seconds = process, seconds
        try:
            version = self.send("protocol_version")
            self._commands = frozenset(self.send("list_commands").split())
        except RefusedError as error:
            raise EngineError(f"does not speak GTP: it answers '? {error}'") from error
        if version != "2":
            raise EngineError(f"speaks version {version} of GTP, where 2 is needed")

    def knows(self, command: str) -> bool:
        """Tells whether the engine lists a command."""
        return command in self._commands

    def send(self, command: str, seconds: float | None = None) -> str:
        """Sends a command, and returns the answer.

        Raises:
          RefusedError: The engine refuses the command.
          EngineError: It does not answer as GTP wants it.
        """
        answer = self._process.ask(command, self._seconds if seconds is None else seconds)
        match = re.fullmatch(r"([=?])(.*)", answer, re.DOTALL)
        if match is None:
            raise EngineError(
                f"does not speak GTP: it answers {command!r} by {in_one_line(answer)!r}"
            )
        status, text = match[1], match[2].strip()
        if status == "?":
            raise RefusedError(in_one_line(text))
        return text
