"""Ctrl-C, SIGTERM and the like as requests to stop, so that a run can save its state first."""

import contextlib
import os
import signal
import threading
from collections.abc import Callable, Iterator

INTERRUPTED = 130  # the exit status of a process that was asked to stop

# What a closed terminal, Ctrl-\ and the warnings of batch systems send.
_LIKE_SIGTERM = (signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2, signal.SIGXCPU)


def signal_name(number: int) -> str:
    """Returns the name of a signal, such as SIGKILL."""
    try:
        return signal.Signals(number).name
    except ValueError:  # a real-time signal, or none
        return f"signal {number}"


@contextlib.contextmanager
def stop_requests() -> Iterator[Callable[[], bool]]:
    """Yields a function that tells whether a signal has asked to stop.

    Besides Ctrl-C and SIGTERM these are signals that would end the process: none that `nohup`
    ignores, or that the program of a user handles. A second Ctrl-C stops at once. In another thread
    than the main one no stop is ever requested.
    """
    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    received: list[int] = []

    def request_stop(signum, frame):
        del frame
        received.append(signum)
        text = "azjax: stopping as soon as this step is done"
        if signum == signal.SIGINT:
            text += "; once more stops at once"
            signal.signal(signum, before[signum])
        with contextlib.suppress(OSError):  # the terminal may be gone
            os.write(2, f"{text}\n".encode())

    deadly = (signum for signum in _LIKE_SIGTERM if signal.getsignal(signum) is signal.SIG_DFL)
    signals = (signal.SIGINT, signal.SIGTERM, *deadly)
    before = {signum: signal.getsignal(signum) for signum in signals}
    for signum in before:
        signal.signal(signum, request_stop)
    try:
        yield lambda: bool(received)
    finally:
        for signum, handler in before.items():
            signal.signal(signum, handler)


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
