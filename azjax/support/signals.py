"""Ctrl-C and SIGTERM as requests to stop, so that a run can save its state first."""

import contextlib
import os
import signal
import threading
from collections.abc import Callable, Iterator


@contextlib.contextmanager
def stop_requests() -> Iterator[Callable[[], bool]]:
    """Yields a function that tells whether a stop was requested; a second signal stops at once.

    Python handles signals in the main thread only; in another thread no stop is ever requested.
    """
    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    received: list[int] = []

    def request_stop(signum, frame):
        del frame
        received.append(signum)
        os.write(2, b"azjax: stopping as soon as this step is done; once more stops at once\n")
        signal.signal(signum, before[signum])

    before = {signum: signal.getsignal(signum) for signum in (signal.SIGINT, signal.SIGTERM)}
    for signum in before:
        signal.signal(signum, request_stop)
    try:
        yield lambda: bool(received)
    finally:
        for signum, handler in before.items():
            signal.signal(signum, handler)
