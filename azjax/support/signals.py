"""Ctrl-C, SIGTERM and the like as requests to stop, so that a run can save its state first.

Python runs signal handlers in the main thread, between two steps of the interpreter: none while
XLA compiles or computes. A scheduler that sends SIGTERM kills soon after, so another thread sets a
deadline, and ends the process where the main thread does not.
"""

import contextlib
import gc
import os
import signal
import socket
import threading
import types
from collections.abc import Callable, Iterator, Set

INTERRUPTED = 130  # the exit status of a process that was asked to stop

# What a closed terminal, Ctrl-\ and the warnings of batch systems send.
_LIKE_SIGTERM = (signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2, signal.SIGXCPU)

_GRACE_SECONDS = 8.0  # from SIGTERM to the end of the process
_WRITING_SECONDS = 1.5  # more, where `writing` is held
_AGAIN_SECONDS = 0.05  # from a signal whose exception would be lost to the next try

writing = threading.Lock()  # held while a checkpoint is written, which is lost without its end


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
def stop_requests(what_is_saved: Callable[[], str]) -> Iterator[Callable[[], bool]]:
    """Yields a function that tells whether a stop was requested; a second Ctrl-C stops at once.

    After another signal of `stop_signals` the process ends within ten seconds, with status
    INTERRUPTED and one line that says what is saved, unless the block ends before. A second one
    changes nothing: a scheduler may send it to a process and to its parent, which passes it on.

    Python handles signals in the main thread only; in another thread no stop is ever requested.

    Args:
      what_is_saved: Returns what is saved at that moment, in one line; called in another thread.
    """
    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    received: list[int] = []

    def request_stop(signum, frame):
        del frame
        received.append(signum)
        if signum == signal.SIGINT:
            _tell("stopping as soon as this step is done; once more stops at once")
            signal.signal(signum, before[signum])

    before = {signum: signal.getsignal(signum) for signum in stop_signals()}
    with _deadline(before.keys() - {signal.SIGINT}, what_is_saved):
        for signum in before:
            signal.signal(signum, request_stop)
        try:
            yield lambda: bool(received)
        finally:
            for signum, handler in before.items():
                signal.signal(signum, handler)


@contextlib.contextmanager
def interrupts(signum: signal.Signals) -> Iterator[None]:
    """Lets a signal raise KeyboardInterrupt inside, so that what is open is closed.

    Python's own handler raises it while the main thread collects garbage too, in JAX's callback for
    instance, and in every `__del__`, and there it is lost; here the signal is sent again. A signal
    that is ignored stays so, and in another thread than the main one nothing changes.

    Args:
      signum: SIGINT, which is Ctrl-C, or SIGTERM.
    """
    main = threading.main_thread()
    before = signal.getsignal(signum)
    if threading.current_thread() is not main or before is signal.SIG_IGN:
        yield
        return
    is_collecting = False

    def note(phase: str, info: dict[str, int]) -> None:
        nonlocal is_collecting
        if threading.get_ident() == main.ident:
            is_collecting = phase == "start"

    def interrupt(signum: int, frame: types.FrameType | None) -> None:
        if is_collecting or _loses_exceptions(frame):
            _send_again(signum)
        else:
            raise KeyboardInterrupt

    gc.callbacks.append(note)
    signal.signal(signum, interrupt)
    try:
        yield
    finally:
        signal.signal(signum, before)
        gc.callbacks.remove(note)


def _loses_exceptions(frame: types.FrameType | None) -> bool:
    """Returns whether the frame is within a `__del__` or a callback of the garbage collector."""
    callbacks = {getattr(callback, "__code__", None) for callback in gc.callbacks}
    while frame is not None:
        if frame.f_code in callbacks or frame.f_code.co_name == "__del__":
            return True
        frame = frame.f_back
    return False


def _send_again(signum: int) -> None:
    again = threading.Timer(_AGAIN_SECONDS, os.kill, (os.getpid(), signum))
    again.daemon = True
    again.start()


@contextlib.contextmanager
def _deadline(signals: Set[int], what_is_saved: Callable[[], str]) -> Iterator[None]:
    """Ends the process some seconds after one of these signals, unless the block ends before."""
    has_ended = threading.Event()
    reader, writer = socket.socketpair()
    with reader, writer:
        writer.setblocking(False)
        arguments = reader, signals, has_ended, what_is_saved
        watcher = threading.Thread(target=_watch, args=arguments, daemon=True)
        watcher.start()
        # Python's handler in C writes each signal's number, whatever the main thread does.
        before = signal.set_wakeup_fd(writer.fileno(), warn_on_full_buffer=False)
        try:
            yield
        finally:
            signal.set_wakeup_fd(before)
            has_ended.set()
            writer.shutdown(socket.SHUT_WR)
            watcher.join()


def _watch(
    reader: socket.socket,
    signals: Set[int],
    has_ended: threading.Event,
    what_is_saved: Callable[[], str],
) -> None:
    """Waits for a signal or for the end of the block, then for the end of the block or of time."""
    while received := reader.recv(64):
        if signals & set(received):
            seconds = round(_GRACE_SECONDS)
            _tell(f"stopping as soon as this step is done, or in {seconds} seconds without it")
            break
    if has_ended.wait(_GRACE_SECONDS if received else None):
        return
    writing.acquire(timeout=_WRITING_SECONDS)
    try:
        _tell(f"stopped within a step; {what_is_saved()}")
    finally:
        os._exit(INTERRUPTED)  # the main thread cannot be interrupted


def _tell(text: str) -> None:
    with contextlib.suppress(OSError):  # the terminal may be gone
        os.write(2, f"azjax: {text}\n".encode())
