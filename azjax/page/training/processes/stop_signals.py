"""The processes that the page has asked to stop: a second signal would stop one at once."""

import threading
from collections.abc import Sequence

from azjax.page.training.processes.stopping import stop_training
from azjax.support.errors import InputError
from azjax.support.files.ownership import Owner


class StopSignals:
    """Sends each process one signal, whoever asks; threads may share it."""

    def __init__(self):
        """Has sent nothing yet."""
        self._lock = threading.Lock()
        # By process, since when it has owned the newest of its folders: a later process may have
        # the same number.
        self._asked: dict[tuple[str, int | None], float] = {}

    def has_asked(self, owner: Owner) -> bool:
        """Tells whether the process of an owner has been asked to stop."""
        return owner.since <= self._asked.get(owner.process, float("-inf"))

    def send(self, name: str, owners: Sequence[Owner]) -> None:
        """Asks the processes that have not been asked yet to stop.

        Args:
          name: Of the run, or of the population, that they train.
          owners: Of all folders that the processes own.

        Raises:
          InputError: None is left to ask, or one cannot be asked.
        """
        with self._lock:
            newest = {owner.process: owner for owner in sorted(owners, key=lambda one: one.since)}
            left = [owner for owner in newest.values() if not self.has_asked(owner)]
            if not left:
                raise InputError(f"{name} is stopping already: it saves its state first")
            for owner in left:
                stop_training(owner)
                self._asked[owner.process] = owner.since
