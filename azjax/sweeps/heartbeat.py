"""Heartbeats: what tells other workers that the trials of this one are still trained."""

import contextlib
import threading

from optuna.storages import RDBStorage

from azjax.sweeps import storage as settings


class Heartbeat:
    """A thread that sends a heartbeat for each trial now and then, whatever is being compiled."""

    def __init__(self, storage: RDBStorage):
        self._storage = storage
        self._trials: frozenset[int] = frozenset()  # replaced, never changed: a thread reads it
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._beat, daemon=True)

    def __enter__(self) -> "Heartbeat":
        """Starts the thread."""
        self._thread.start()
        return self

    def __exit__(self, *exception) -> None:
        """Ends the thread."""
        self._is_over.set()
        self._thread.join()

    def add(self, trial_id: int) -> None:
        """Sends the first heartbeat of a trial: without one it would never be missed."""
        self._storage.record_heartbeat(trial_id)
        self._trials |= {trial_id}

    def remove(self, trial_id: int) -> None:
        """Ends a trial's heartbeats."""
        self._trials -= {trial_id}

    def send(self) -> None:
        """Sends a heartbeat for each trial now."""
        for trial_id in self._trials:
            self._storage.record_heartbeat(trial_id)

    def _beat(self) -> None:
        while not self._is_over.wait(settings.HEARTBEAT_SECONDS):
            # One that is lost is missed by nobody; a storage that is gone, by whoever trains.
            with contextlib.suppress(Exception):
                self.send()
