"""What TensorBoard shows of a run, read from its events as TensorBoard reads them."""

import struct

from tensorboardX.proto.event_pb2 import Event, SessionLog

from azjax.runs.storage.metrics_log import MetricsWriter


def write(run, after, iterations, loss):
    """Writes the rows of a session that goes on after an iteration."""
    writer = MetricsWriter(run, after)
    for iteration in iterations:
        writer.write({"iteration": iteration, "loss": loss, "draws": None, "seconds": 0.0})
    return writer


def events(file):
    """Yields the events of a file: each is a length, its checksum, the event, its checksum."""
    data = file.read_bytes()
    while data:
        (length,) = struct.unpack("Q", data[:8])
        yield Event.FromString(data[12 : 12 + length])
        data = data[16 + length :]


def shown(run):
    """Returns what TensorBoard shows: pairs of a step and its loss.

    A session that starts at a step expires what came before of that step and later ones.
    """
    points = []
    for file in sorted(run.tensorboard.iterdir()):
        assert "tfevents" in file.name
        for event in events(file):
            if event.session_log.status == SessionLog.START:
                points = [(step, loss) for step, loss in points if step < event.step]
            values = {value.tag: value.simple_value for value in event.summary.value}
            points += [(event.step, values["loss"])] if "loss" in values else []
            assert values.keys() <= {"loss", "seconds"}
    return points


def test_a_resumed_run_shows_each_step_once(run):
    write(run, 0, range(6), loss=1.0).close()
    write(run, 3, range(4, 8), loss=2.0).close()
    assert shown(run) == [(i, 1.0) for i in range(4)] + [(i, 2.0) for i in range(4, 8)]


def test_what_is_synchronized_is_shown_after_a_kill(run):
    killed = write(run, 0, range(4), loss=1.0)
    assert shown(run) == []
    killed.sync()
    assert len(shown(run)) == 4
    killed.close()
