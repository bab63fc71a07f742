"""Heartbeats of running trials: other workers requeue a trial whose heartbeat has stopped."""

import contextlib
import threading

from optuna.storages import RDBStorage

from azjax.sweeps import storage as settings


class Heartbeat:
    """A thread that sends heartbeats for the running trials, also during compilation."""

    def __init__(self, storage: RDBStorage):
        self._storage = storage
        self._trials: frozenset[int] = frozenset()  # replaced, never mutated: the thread reads it
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> "Heartbeat":
        """Starts the thread."""
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        """Stops the thread."""
        self._stop.set()
        self._thread.join()

    def add(self, trial_id: int) -> None:
        """Sends the first heartbeat of a trial: Optuna ignores trials without one."""
        self._storage.record_heartbeat(trial_id)
        self._trials |= {trial_id}

    def remove(self, trial_id: int) -> None:
        """Stops the heartbeats of a trial."""
        self._trials -= {trial_id}

    def send(self) -> None:
        """Sends a heartbeat for each trial at once."""
        for trial_id in self._trials:
            self._storage.record_heartbeat(trial_id)

    def _run(self) -> None:
        while not self._stop.wait(settings.HEARTBEAT_SECONDS):
            # A lost heartbeat does no harm; a lost storage raises in the thread that trains.
            with contextlib.suppress(Exception):
                self.send()
