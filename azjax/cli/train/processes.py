"""`azjax train` as one process, or as one of a group."""

import contextlib
import os
import signal
import sys
from collections.abc import Callable, Iterator

from azjax.cli.train.hints import how_to_resume
from azjax.cli.train.options import TrainRequest
from azjax.distributed.exchange import is_leader
from azjax.distributed.group import ProcessGroup, group_of_flags
from azjax.distributed.join import training_together
from azjax.distributed.slurm import group_of_slurm
from azjax.distributed.supervised import supervised_group
from azjax.distributed.supervisor import LostError, supervise
from azjax.runs.lockstep import follow, leading
from azjax.support.arguments import without_flags
from azjax.support.signals import stop_signals

_PREFIX = "--distributed."


def train_in_group(request: TrainRequest, train: Callable[[TrainRequest], None]) -> None:
    """Trains in this process, or in one of a group that it supervises.

    Args:
      request: What to train.
      train: Trains it, as the only process or as the one that leads.

    Raises:
      RunError: A process of the group was lost, or has not come.
      SystemExit: The group has ended, with this status.
    """
    if supervised_group() is None:
        if group := _find_group(request):
            sys.exit(_supervise(request, group))
        train(request)
        return
    with training_together(without_flags(sys.argv[1:], _PREFIX)):
        if is_leader():
            with leading():
                train(request)
        else:
            with _noted_signals() as is_stop_requested:
                status = follow(is_stop_requested)
            sys.exit(status)


def _find_group(request: TrainRequest) -> ProcessGroup | None:
    options = request.options.distributed
    if options.num_processes == 1:
        return None
    return group_of_flags(options) or group_of_slurm(os.environ, options.initialization_timeout)


def _supervise(request: TrainRequest, group: ProcessGroup) -> int:
    def print_waiting() -> None:
        print(
            f"waiting for all {group.num_processes} processes at {group.host}:{group.port}, "
            f"at most {group.initialization_timeout} seconds",
            flush=True,
        )

    try:
        return supervise(group, [sys.executable, "-m", "azjax", *sys.argv[1:]], print_waiting)
    except LostError as error:
        again = (
            f"start all processes again, this one by: {how_to_resume(request)} (leave --resume out "
            "if the run had not begun)"
        )
        raise LostError(f"{error}; {again}") from error


@contextlib.contextmanager
def _noted_signals() -> Iterator[Callable[[], bool]]:
    """Yields a function that tells whether a signal has asked to stop; process 0 stops for all."""
    received: list[int] = []
    before = {
        signum: signal.signal(signum, lambda number, frame: received.append(number))
        for signum in stop_signals()
    }
    try:
        yield lambda: bool(received)
    finally:
        for signum, handler in before.items():
            signal.signal(signum, handler)
