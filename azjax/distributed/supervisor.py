"""Supervises a process of a group: all come together, and all end when one is lost.

JAX's own client ends a process some time after another one is lost, without saying which. So each
process has a supervisor, its parent. That of process 0 is connected to the others, and tells them.
"""

import asyncio
import contextlib
import json
import os
import signal
import socket
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

from azjax.distributed.group import ProcessGroup, supervised_environment
from azjax.support.errors import RunError
from azjax.support.files.reading import parse_json
from azjax.support.signals import INTERRUPTED, signal_name, stop_signals

_GRACE_SECONDS = 30.0  # between the ends of two processes
_GONE = -1000  # in place of an exit status; no signal has this number
_MOST_BYTES = 4096  # of a message
_RETRY_SECONDS = 0.3
# A machine that no longer answers is taken for lost after 5 + 3 x 5 seconds.
_KEEPALIVE = {"TCP_KEEPIDLE": 5, "TCP_KEEPINTVL": 5, "TCP_KEEPCNT": 3}

Message = dict[str, Any]


class LostError(RunError):
    """A process of the group was lost."""


class Channel:
    """A connection to another supervisor, which takes messages: lines of JSON over TCP."""

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


Arrivals = asyncio.Queue[tuple[Channel, Message | None]]  # connections with their first messages


def supervise(group: ProcessGroup, command: Sequence[str], on_listening: Callable[[], None]) -> int:
    """Runs a process of the group, and returns its exit status when all have ended.

    Process 0 calls `on_listening` when it listens to the others.

    Raises:
      LostError: A process was lost; this supervisor's process has ended too.
      RunError: A process has not come.
    """
    if group.process_id == 0:
        return asyncio.run(_lead(group, command, on_listening))
    return asyncio.run(_follow(group, command))


async def _lead(
    group: ProcessGroup, command: Sequence[str], on_listening: Callable[[], None]
) -> int:
    """Supervises process 0, and tells the supervisors of the others what has happened."""
    arrivals: Arrivals = asyncio.Queue()
    try:
        server = await _listen(group.port, arrivals)
    except OSError as error:
        raise RunError(f"process 0 cannot listen at port {group.port}: {error.strerror}") from error
    on_listening()
    channels: dict[int, Channel] = {}
    try:
        with contextlib.closing(server):  # afterwards nobody else is heard
            await _wait_for_all(group, arrivals, channels)
        await _tell(channels, {"go": True})
        async with _child(group, command) as child:
            status = await _until_all_have_ended(child, channels)
        await _tell(channels, {"done": status})
        return status
    except RunError as error:
        kind = "lost" if isinstance(error, LostError) else "refused"
        await _tell(channels, {kind: str(error)})
        raise
    finally:
        for channel in channels.values():
            channel.close()


async def _listen(port: int, arrivals: Arrivals) -> asyncio.Server:
    """Listens at all addresses of this machine."""

    async def arrive(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        channel = Channel(reader, writer)
        with contextlib.suppress(asyncio.CancelledError):  # else asyncio prints it at the end
            arrivals.put_nowait((channel, await channel.receive()))

    return await asyncio.start_server(arrive, port=port, limit=_MOST_BYTES)


async def _wait_for_all(
    group: ProcessGroup, arrivals: Arrivals, channels: dict[int, Channel]
) -> None:
    """Adds the channels of all other processes, by their numbers."""
    try:
        async with asyncio.timeout(group.initialization_timeout):
            while _missing(group, channels):
                channel, hello = await arrivals.get()
                problem = _refuse(group, hello or {}, channels)
                if problem:
                    await channel.send({"refused": problem})
                    channel.close()
                else:
                    channels[hello["process"]] = channel  # type: ignore[index]
    except TimeoutError:
        missing = ", ".join(map(str, _missing(group, channels)))
        raise RunError(
            f"process {missing} has not come within {group.initialization_timeout} seconds"
        ) from None


def _missing(group: ProcessGroup, channels: dict[int, Channel]) -> list[int]:
    """Returns the numbers of the processes that have not come, or are gone again."""
    there = {i for i, channel in channels.items() if not channel.has_ended}
    return [i for i in range(1, group.num_processes) if i not in there]


def _refuse(group: ProcessGroup, hello: Message, channels: dict[int, Channel]) -> str:
    """Returns why a process that has come cannot be one of the group, or nothing."""
    number, size = hello.get("process"), hello.get("of")
    if size != group.num_processes:
        return f"process 0 is one of {group.num_processes} processes, and this one of {size}"
    if not isinstance(number, int) or not 0 < number < group.num_processes:
        return "this is no process of the group"
    is_there = number not in _missing(group, channels)
    return f"process {number} is there already" if is_there else ""


async def _until_all_have_ended(
    child: asyncio.subprocess.Process, channels: dict[int, Channel]
) -> int:
    """Waits for the ends of all processes, which end together; returns the status of process 0.

    Where one was interrupted, and does not take the others along, theirs are ended.
    """
    numbers = {asyncio.create_task(_receive_status(channel)): i for i, channel in channels.items()}
    numbers[asyncio.create_task(child.wait())] = 0
    statuses: dict[int, int] = {}
    pending = {*numbers}
    deadline = None
    while pending:
        ended, pending = await asyncio.wait(
            pending, timeout=deadline, return_when=asyncio.FIRST_COMPLETED
        )
        if not ended:
            number, status = max(statuses.items(), key=lambda one: one[1])
            if status == INTERRUPTED:
                return INTERRUPTED
            raise LostError(f"process {number} has ended with status {status}")
        for task in ended:
            number, status = numbers[task], task.result()
            if status < 0:
                by = "" if status == _GONE else f" by {signal_name(-status)}"
                raise LostError(f"process {number} was lost{by}")
            statuses[number], deadline = status, _GRACE_SECONDS
    return statuses[0]


async def _receive_status(channel: Channel) -> int:
    """Returns the exit status of another machine's process, or _GONE if its supervisor is gone."""
    message = await channel.receive()
    return message.get("ended", _GONE) if message else _GONE


async def _follow(group: ProcessGroup, command: Sequence[str]) -> int:
    """Supervises another process than 0, and ends it where the supervisor of process 0 says so."""
    with contextlib.closing(await _connect(group)) as leader:
        await leader.send({"process": group.process_id, "of": group.num_processes})
        await _next_message(leader)
        async with _child(group, command) as child:
            told = asyncio.create_task(_next_message(leader))
            ended = asyncio.create_task(child.wait())
            await asyncio.wait([told, ended], return_when=asyncio.FIRST_COMPLETED)
            if not told.done():
                await leader.send({"ended": ended.result()})
            status = (await told)["done"]
            return ended.result() if ended.done() else status


async def _connect(group: ProcessGroup) -> Channel:
    """Connects to the supervisor of process 0, as soon as it listens."""
    host, port, seconds = group.host, group.port, group.initialization_timeout
    reason = ""
    try:
        async with asyncio.timeout(seconds):
            while True:
                try:
                    return Channel(*await asyncio.open_connection(host, port, limit=_MOST_BYTES))
                except OSError as error:
                    reason = f": {error.strerror or error}"
                await asyncio.sleep(_RETRY_SECONDS)
    except TimeoutError:
        problem = f"process 0 has not come to {host}:{port} within {seconds} seconds{reason}"
        raise RunError(problem) from None


async def _next_message(leader: Channel) -> Message:
    """Returns the next message of the supervisor of process 0.

    Raises:
      LostError: It, or a process, was lost.
      RunError: The process is refused.
    """
    message = await leader.receive()
    if message is None:
        raise LostError("process 0 was lost")
    for kind, error in (("lost", LostError), ("refused", RunError)):
        if kind in message:
            raise error(str(message[kind]))
    return message


async def _tell(channels: dict[int, Channel], message: dict[str, object]) -> None:
    for channel in channels.values():
        await channel.send(message)


@contextlib.asynccontextmanager
async def _child(
    group: ProcessGroup, command: Sequence[str]
) -> AsyncIterator[asyncio.subprocess.Process]:
    """Runs the process, which gets the signals of this one, and does not outlive the block.

    It is of another session, so that Ctrl-C reaches it once.
    """
    reader, writer = os.pipe()
    child = await asyncio.create_subprocess_exec(
        *command,
        env=supervised_environment(group, reader),
        pass_fds=(reader,),
        start_new_session=True,
    )
    os.close(reader)
    loop = asyncio.get_running_loop()
    signals = stop_signals()
    for signum in signals:
        loop.add_signal_handler(signum, _send, child, signum)
    try:
        yield child
    finally:
        for signum in signals:
            loop.remove_signal_handler(signum)
        if child.returncode is None:
            child.kill()
            await child.wait()
        os.close(writer)


def _send(child: asyncio.subprocess.Process, signum: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):  # it has ended
        child.send_signal(signum)
