"""Runs from their first iteration, or their newest checkpoint, to their end, side by side."""

import concurrent.futures
import itertools
from collections.abc import Callable, Iterator

import jax

from azjax.evaluation import SolvedPositions
from azjax.runs.progress import TrainingProgress
from azjax.runs.run_directory import RunDirectory
from azjax.runs.session import Outcome, Session, warm_up
from azjax.runs.slots import Slots
from azjax.support.errors import InputError, RunError
from azjax.support.signals import stop_requests
from azjax.support.tables import Row


def train_population(
    runs: Iterator[RunDirectory],
    num_slots: int,
    find_positions: Callable[[], SolvedPositions | None],
    progress: TrainingProgress,
    *,
    on_evaluation: Callable[[RunDirectory, list[Row]], bool] = lambda run, rows: False,
    on_end: Callable[[RunDirectory, Outcome], None] = lambda run, outcome: None,
) -> bool:
    """Trains runs until their limits, until they are perfect, or until asked to stop.

    A run that ends gives its place to the next one. One that fails ends, and the others go on.

    Args:
      runs: What to train, of one `config.train` and number of devices; asked for the next run
        whenever a place is free.
      num_slots: How many to train side by side, in one compiled program; fewer where memory does
        not suffice.
      find_positions: Returns the solved positions to measure accuracy on, if there are any. It is
        called once, while the iteration compiles, because solving a game takes seconds.
      progress: What a person sees.
      on_evaluation: Called after each evaluation of a run with its metrics; True ends the run.
      on_end: Called when a run's session is over.

    Returns:
      Whether it was asked to stop; then every run is saved, and `runs` may not be exhausted.

    Raises:
      InputError: There are not so many devices, or the games cannot be laid over them.
    """
    first = next(runs, None)
    if first is None:
        return False
    runs = itertools.chain([first], runs)
    with stop_requests() as stop_requested, progress:
        with concurrent.futures.ThreadPoolExecutor(1) as beside:
            found = beside.submit(find_positions)
            beside.submit(lambda: warm_up(first, found.result()))
            slots = Slots(first.config.train, first.num_devices, num_slots)
        if slots.num_slots < num_slots:
            progress.log(None, f"memory has room for {slots.num_slots} of {num_slots} at a time")
        population = _Population(slots, found.result(), progress, on_evaluation, on_end)
        try:
            # Whoever is asked to stop makes one more iteration, after which every run saves itself.
            while population.start(iter(()) if stop_requested() else runs):
                population.iterate(stop_requested)
                population.finish(was_interrupted=stop_requested())
        finally:
            population.close()
        return stop_requested()


class _Population:
    """The runs that train side by side at the moment."""

    def __init__(
        self,
        slots: Slots,
        positions: SolvedPositions | None,
        progress: TrainingProgress,
        on_evaluation: Callable[[RunDirectory, list[Row]], bool],
        on_end: Callable[[RunDirectory, Outcome], None],
    ):
        self._places, self._positions, self._progress = slots, positions, progress
        self._on_look, self._on_end = on_evaluation, on_end
        self._members: list[Session] = []

    def start(self, runs: Iterator[RunDirectory]) -> bool:
        """Lets runs take the free places, and tells whether any is in training."""
        while free := self._places.free():
            run = next(runs, None)
            if run is None:
                break
            try:
                member = Session(run, self._places, free[0], self._positions, self._progress)
            except (InputError, RunError) as error:
                self._on_end(run, Outcome([], None, 0.0, was_interrupted=False, error=error))
                continue
            self._members.append(member)
            self.finish(was_interrupted=False)  # it may have been over before
        return bool(self._members)

    def iterate(self, stop_requested: Callable[[], bool]) -> None:
        """Takes every run through an iteration."""
        metrics, seconds = self._places.iterate()
        is_stopping = stop_requested()  # once: a signal during the looks is for all or for none
        for member in list(self._members):
            of_member = jax.tree.map(lambda x, slot=member.slot: x[slot], metrics)
            try:
                is_evaluation = member.record(of_member, seconds, is_stopping=is_stopping)
                if is_evaluation and self._on_look(member.run, member.rows):
                    member.prune()
            except RunError as error:
                self._members.remove(member)
                self._on_end(member.run, member.fail(error))

    def finish(self, *, was_interrupted: bool) -> None:
        """Lets those who are over leave their places."""
        for member in [member for member in self._members if member.is_over]:
            self._members.remove(member)
            self._on_end(member.run, member.end(was_interrupted=was_interrupted))

    def close(self) -> None:
        """Closes the files of those who are left, where something went wrong."""
        for member in self._members:
            member.close()
