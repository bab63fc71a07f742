"""Metrics for TensorBoard: a file of events for each session of a run."""

import pathlib
import socket
import time
from typing import Any

from azjax.support.files.tables import Row


class EventFile:
    """The events of one session, the first of which tells TensorBoard where the session begins."""

    def __init__(self, folder: pathlib.Path, first_iteration: int):
        """Creates a file in a folder, which is created if missing.

        What earlier sessions wrote of `first_iteration` and later ones is computed again:
        TensorBoard drops it when it reads the start of this session.

        Raises:
          OSError: The file cannot be written.
        """
        # Not a SummaryWriter: behind its queue, a full disk blocks for ever.
        from tensorboardX.proto.event_pb2 import SessionLog
        from tensorboardX.record_writer import RecordWriter

        folder.mkdir(exist_ok=True)
        # TensorBoard reads the files in the order of their names.
        name = f"events.out.tfevents.{time.time():.6f}.{socket.gethostname()}"
        self._writer = RecordWriter(str(folder / name))
        self._write(file_version="brain.Event:2")
        self._write(step=first_iteration, session_log=SessionLog(status=SessionLog.START))

    def write(self, row: Row) -> None:
        """Adds the numbers of a row, which has a column `iteration`; they may wait in a buffer."""
        from tensorboardX.summary import scalar

        for name, value in row.items():
            if name != "iteration" and value is not None:
                self._write(step=row["iteration"], summary=scalar(name, value))

    def sync(self) -> None:
        """Waits until all events are on disk."""
        self._writer.flush()

    def close(self) -> None:
        """Closes the file, also if what is in its buffer cannot be written."""
        try:
            self.sync()
        finally:
            self._writer.close()

    def _write(self, **fields: Any) -> None:
        from tensorboardX.proto.event_pb2 import Event

        event = Event(wall_time=time.time(), **fields)
        self._writer.write(event.SerializeToString())
