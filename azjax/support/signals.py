"""Ctrl-C, SIGTERM and the like as requests to stop, so that a run can save its state first."""

import contextlib
import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator

INTERRUPTED = 130  # the exit status of a process that was asked to stop

# What a closed terminal, Ctrl-\ and the warnings of batch systems send.
_LIKE_SIGTERM = (signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2, signal.SIGXCPU)
_GRACE_SECONDS = 8.0  # from SIGTERM to the end of the process


def signal_name(number: int) -> str:
    """Returns the name of a signal, such as SIGKILL."""
    try:
        return signal.Signals(number).name
    except ValueError:  # a real-time signal, or none
        return f"signal {number}"


def stop_signals() -> tuple[signal.Signals, ...]:
    """Returns the signals that ask to stop.

    Apart from SIGINT and SIGTERM, those that would end the process: not one that `nohup` ignores,
    and none that the program of a user handles.
    """
    deadly = [number for number in _LIKE_SIGTERM if signal.getsignal(number) is signal.SIG_DFL]
    return (signal.SIGINT, signal.SIGTERM, *deadly)


@contextlib.contextmanager
def stop_requests(what_is_saved: Callable[[], str] | None = None) -> Iterator[Callable[[], bool]]:
    """Yields a function that tells whether a signal has asked to stop.

    A second Ctrl-C stops at once. After another signal than Ctrl-C the process ends within ten
    seconds, with status INTERRUPTED and one line that says what is saved, unless the block ends
    before. In another thread than the main one no stop is ever requested.

    Args:
      what_is_saved: Returns what is saved at that moment, in one line; called in another thread.
        Without it there is no deadline, and the second Ctrl-C is as the first.
    """
    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    received: list[int] = []

    def request_stop(signum, frame):
        del frame
        received.append(signum)
        if signum == signal.SIGINT and what_is_saved:
            _tell("stopping as soon as this step is done; once more stops at once")
            signal.signal(signum, before[signum])

    before = {signum: signal.getsignal(signum) for signum in stop_signals()}
    with (
        _deadline({*before} - {signal.SIGINT}, what_is_saved)
        if what_is_saved
        else contextlib.nullcontext()
    ):
        for signum in before:
            signal.signal(signum, request_stop)
        try:
            yield lambda: bool(received)
        finally:
            for signum, handler in before.items():
                signal.signal(signum, handler)


@contextlib.contextmanager
def _deadline(signals: set[signal.Signals], what_is_saved: Callable[[], str]) -> Iterator[None]:
    """Ends the process some seconds after one of these signals, unless the block ends before.

    Python runs handlers in the main thread between two steps of the interpreter: none while XLA
    compiles or computes. But it writes each signal's number at once, and a thread reads it.
    """
    reader, writer = socket.socketpair()
    has_ended = threading.Event()

    def watch() -> None:
        while numbers := reader.recv(64):
            if signals & {*numbers}:
                seconds = round(_GRACE_SECONDS)
                _tell(f"stopping as soon as this step is done, or in {seconds} seconds without it")
                if not has_ended.wait(_GRACE_SECONDS):
                    try:
                        _tell(f"stopped within a step; {what_is_saved()}")
                    finally:
                        os._exit(INTERRUPTED)  # the main thread cannot be interrupted
                return

    watcher = threading.Thread(target=watch, daemon=True)
    with reader, writer:
        writer.setblocking(False)
        watcher.start()
        before = signal.set_wakeup_fd(writer.fileno(), warn_on_full_buffer=False)
        try:
            yield
        finally:
            signal.set_wakeup_fd(before)
            has_ended.set()
            writer.shutdown(socket.SHUT_WR)
            watcher.join()


@contextlib.contextmanager
def interrupts(signum: signal.Signals) -> Iterator[None]:
    """Lets a signal raise KeyboardInterrupt inside, as Ctrl-C does, so that what is open is closed.

    A signal that is ignored stays so, and in another thread than the main one nothing changes.
    """
    before = signal.getsignal(signum)
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or before is signal.SIG_IGN:
        yield
        return
    signal.signal(signum, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signum, before)


def _tell(text: str) -> None:
    with contextlib.suppress(OSError):  # the terminal may be gone
        os.write(2, f"azjax: {text}\n".encode())
