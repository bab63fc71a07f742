"""Trains populations: runs side by side in one program, from start or checkpoint to their end."""

import concurrent.futures
import contextlib
import itertools
from collections.abc import Callable, Iterator

import jax

from azjax.evaluation import Accuracy, SolvedPositions
from azjax.runs.evaluation.warm_up import warm_up
from azjax.runs.reporting.progress import TrainingProgress
from azjax.runs.session import Outcome, Session
from azjax.runs.slots import Slots
from azjax.runs.storage.run_directory import RunDirectory
from azjax.runs.storage.run_errors import run_write_errors, saved_until
from azjax.support.errors import InputError, RunError
from azjax.support.files.tables import Row
from azjax.support.machine.jax_settings import own_settings
from azjax.support.signals import stop_requests


def train_population(
    runs: Iterator[RunDirectory],
    num_slots: int,
    find_positions: Callable[[], SolvedPositions | None],
    progress: TrainingProgress,
    *,
    on_evaluation: Callable[[RunDirectory, list[Row]], bool] = lambda run, rows: False,
    on_end: Callable[[RunDirectory, Outcome], None] = lambda run, outcome: None,
    how_to_continue: str = "",
) -> bool:
    """Trains runs until their limits, until they are perfect, or until asked to stop.

    A run that ends releases its slot to the next one. If a run fails, the others continue.

    Args:
      runs: The runs, of one number of devices, whose `config.train` differ in numbers alone; the
        next one is taken when a slot is free.
      num_slots: The number of runs to train side by side in one compiled program; fewer if memory
        does not suffice.
      find_positions: Returns the solved positions to measure accuracy on, if there are any. It is
        called once, while the iteration compiles, because solving a game takes seconds.
      progress: Prints the progress.
      on_evaluation: Called after each evaluation of a run, with its metrics; True ends the run.
      on_end: Called when the session of a run has ended.
      how_to_continue: What to do after an iteration that was given up; it ends the line about it.

    Returns:
      Whether a signal asked to stop; then every run is saved, and `runs` may not be exhausted.
      After another signal than Ctrl-C an iteration that takes long is given up: the process ends
      with one line.

    Raises:
      InputError: There are fewer devices, or the games cannot be sharded over them.
    """
    first = next(runs, None)
    if first is None:
        return False
    runs = itertools.chain([first], runs)
    sessions: list[Session] = []  # those in training

    def what_is_saved() -> str:
        in_training = [session.run for session in sessions] or [first]
        saved = [f"{run.path}: {saved_until(run)}" for run in in_training]
        return "; ".join([*saved, *filter(None, [how_to_continue])])

    with stop_requests(what_is_saved) as stop_requested, progress:
        with concurrent.futures.ThreadPoolExecutor(1) as executor:
            in_thread = own_settings()  # each thread has settings of its own
            found = executor.submit(in_thread(find_positions))
            warmed_up = executor.submit(in_thread(lambda: warm_up(first, found.result())))
            slots = Slots(first.config.train, first.num_devices, num_slots)
        if slots.num_slots < num_slots:
            progress.log(None, f"memory has room for {slots.num_slots} of {num_slots} at a time")
        initial_accuracies = {first: warmed_up.result()}

        def must_stop() -> bool:
            return stop_requested() or slots.is_stop_requested

        population = _Population(
            slots, sessions, found.result(), initial_accuracies, progress, on_evaluation, on_end
        )
        runs = _until(must_stop, runs)
        try:
            while population.start(runs) and not must_stop():
                population.iterate()
                population.finish(was_interrupted=must_stop())
            population.stop()
        finally:
            population.close()
        return must_stop()


class _Population:
    """The sessions that are in training."""

    def __init__(
        self,
        slots: Slots,
        sessions: list[Session],
        positions: SolvedPositions | None,
        initial_accuracies: dict[RunDirectory, Accuracy | None],
        progress: TrainingProgress,
        on_evaluation: Callable[[RunDirectory, list[Row]], bool],
        on_end: Callable[[RunDirectory, Outcome], None],
    ):
        self._slots, self._sessions = slots, sessions
        self._positions, self._progress = positions, progress
        self._initial_accuracies = initial_accuracies  # those that have been measured
        self._on_evaluation, self._on_end = on_evaluation, on_end

    def start(self, runs: Iterator[RunDirectory]) -> bool:
        """Starts runs in the free slots, and returns whether any run is in training."""
        while free := self._slots.free_slots():
            run = self._next_run(runs)
            if run is None:
                break
            try:
                session = self._start(run, free[0])
            except (InputError, RunError) as error:
                self._on_end(run, Outcome([], None, 0.0, was_interrupted=False, error=error))
                continue
            self._sessions.append(session)
            self.finish(was_interrupted=False)  # a resumed run may have reached its limits
        return bool(self._sessions)

    def _next_run(self, runs: Iterator[RunDirectory]) -> RunDirectory | None:
        """Returns the next run, or None; if that fails, the runs in training are saved first."""
        try:
            return next(runs, None)
        except Exception:
            self.stop()
            raise

    def _start(self, run: RunDirectory, slot: int) -> Session:
        accuracy = self._initial_accuracies.get(run)
        with run_write_errors(run):
            return Session(run, self._slots, slot, self._positions, self._progress, accuracy)

    def iterate(self) -> None:
        """Trains every run for one iteration."""
        for session in list(self._sessions):
            with self._ending_if_it_fails(session):
                session.begin_iteration()
        if not self._sessions:
            return
        metrics, seconds = self._slots.iterate()
        for session in list(self._sessions):
            own_metrics = jax.tree.map(lambda x, slot=session.slot: x[slot], metrics)
            with self._ending_if_it_fails(session):
                is_evaluation = session.record(own_metrics, seconds)
                if is_evaluation and self._on_evaluation(session.run, session.rows):
                    session.stop()

    @contextlib.contextmanager
    def _ending_if_it_fails(self, session: Session) -> Iterator[None]:
        """Ends a session that cannot continue; the others do."""
        try:
            with run_write_errors(session.run):
                yield
        except RunError as error:
            self._end(session, session.fail(error))

    def stop(self) -> None:
        """Saves and ends the sessions that are not finished."""
        for session in list(self._sessions):
            with self._ending_if_it_fails(session):
                session.stop()
        self.finish(was_interrupted=True)

    def finish(self, *, was_interrupted: bool) -> None:
        """Ends the sessions that are finished, and releases their slots."""
        for session in [session for session in self._sessions if session.is_finished]:
            self._end(session, _finish(session, was_interrupted))

    def _end(self, session: Session, outcome: Outcome) -> None:
        self._sessions.remove(session)
        self._on_end(session.run, outcome)

    def close(self) -> None:
        """Closes the files of the sessions that remain after an error."""
        for session in self._sessions:
            session.close()


def _until(must_stop: Callable[[], bool], runs: Iterator[RunDirectory]) -> Iterator[RunDirectory]:
    """Yields runs until asked to stop."""
    while not must_stop() and (run := next(runs, None)):
        yield run


def _finish(session: Session, was_interrupted: bool) -> Outcome:
    """Finishes a session; what it has saved stays if its last files cannot be written."""
    try:
        with run_write_errors(session.run):
            return session.finish(was_interrupted=was_interrupted)
    except RunError as error:
        return session.fail(error)
