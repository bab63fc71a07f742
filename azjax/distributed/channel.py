"""Messages between supervisors: lines of JSON over TCP."""

import asyncio
import contextlib
import json
import socket
from typing import Any

from azjax.support.files.reading import parse_json

_MOST_BYTES = 4096  # of a message
_RETRY_SECONDS = 0.3
# A machine that no longer answers is taken for lost after 5 + 3 x 5 seconds.
_KEEPALIVE = {"TCP_KEEPIDLE": 5, "TCP_KEEPINTVL": 5, "TCP_KEEPCNT": 3}

Message = dict[str, Any]


class Channel:
    """A connection to another supervisor."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter):
        """Takes a connection, which notices that the other machine no longer answers."""
        self._reader, self._writer = reader, writer
        connection = writer.get_extra_info("socket")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for name, value in _KEEPALIVE.items():
            if hasattr(socket, name):
                connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)

    async def send(self, message: Message) -> None:
        """Sends a message; nothing happens if the other end is gone."""
        with contextlib.suppress(OSError):
            self._writer.write(json.dumps(message).encode() + b"\n")
            await self._writer.drain()

    async def receive(self) -> Message | None:
        """Returns the next message, or None if the other end is gone or is no supervisor."""
        with contextlib.suppress(OSError, ValueError):  # a line too long, or no JSON
            line = await self._reader.readline()
            message = parse_json(line.decode()) if line else None
            return message if isinstance(message, dict) else None
        return None

    @property
    def has_ended(self) -> bool:
        """Whether the other end is gone, and all that it has sent is received, or lost."""
        return self._reader.at_eof() or self._reader.exception() is not None

    def close(self) -> None:
        """Closes the connection."""
        self._writer.close()


async def connect(host: str, port: int, seconds: float) -> Channel:
    """Connects to a supervisor, as soon as it listens.

    Raises:
      TimeoutError: None listened within `seconds`; the message says why it was not reached.
    """
    reason = ""
    try:
        async with asyncio.timeout(seconds):
            while True:
                try:
                    return Channel(*await asyncio.open_connection(host, port, limit=_MOST_BYTES))
                except OSError as error:
                    reason = f"{host}: {error.strerror or error}"
                await asyncio.sleep(_RETRY_SECONDS)
    except TimeoutError:
        raise TimeoutError(reason) from None


async def listen(
    port: int, arrivals: "asyncio.Queue[tuple[Channel, Message | None]]"
) -> asyncio.Server:
    """Listens at all addresses of this machine; `arrivals` get a connection's first message."""

    async def arrive(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        channel = Channel(reader, writer)
        with contextlib.suppress(asyncio.CancelledError):  # else asyncio prints it at the end
            arrivals.put_nowait((channel, await channel.receive()))

    return await asyncio.start_server(arrive, port=port, limit=_MOST_BYTES)
