"""The training loop, of one run or of runs side by side: iterate, evaluate, log, save."""

import concurrent.futures
import contextlib
import itertools
from collections.abc import Callable, Iterator

from azjax.evaluation import Accuracy, SolvedPositions
from azjax.runs.evaluation.gating import make_gate
from azjax.runs.reporting.progress import TrainingProgress
from azjax.runs.resuming import sampled_state
from azjax.runs.session import Outcome, Session, make_accuracy_check, run_write_errors
from azjax.runs.slots import Slots
from azjax.runs.storage.run_directory import RunDirectory
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
) -> bool:
    """Trains runs until their limits, until they are perfect, or until asked to stop.

    Each goes on from its newest checkpoint, if there is one. A run that ends releases its slot to
    the next one. If a run fails, the others continue.

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

    Returns:
      Whether a signal asked to stop; then every run is saved, and `runs` may not be exhausted.

    Raises:
      InputError: There are fewer devices, or the games cannot be sharded over them.
    """
    first = next(runs, None)
    if first is None:
        return False
    sessions: list[Session] = []

    with stop_requests() as stop_requested, progress:
        slots, positions, accuracy = _compile(first, num_slots, find_positions, stop_requested)
        if slots.num_slots < num_slots:
            progress.log(None, f"memory has room for {slots.num_slots} of {num_slots} at a time")

        def must_stop() -> bool:
            return stop_requested() or slots.is_stop_requested

        def begin(run: RunDirectory, slot: int) -> Session:
            known = accuracy if run == first else None
            return Session(run, slots, slot, positions, progress, known)

        def waiting() -> Iterator[RunDirectory]:
            left = itertools.chain([first], runs)
            while not must_stop() and (run := next(left, None)):
                yield run

        population = _Population(sessions, slots, waiting(), begin, on_end)
        with contextlib.closing(population):
            while population.start() and not must_stop():
                for session in list(sessions):
                    with population.ending_if_it_fails(session):
                        session.begin_iteration()
                metrics, seconds = slots.iterate()
                for session in list(sessions):
                    with population.ending_if_it_fails(session):
                        row = session.end_iteration(metrics, seconds)
                        if session.is_evaluation_due:
                            row |= session.evaluate()
                        session.log(row)
                        session.save_if_due()
                        is_evaluated, run = session.is_evaluation_due, session.run
                        progress.update(run, row, session.share_done(), permanent=is_evaluated)
                        if is_evaluated and on_evaluation(run, session.rows):
                            session.stop()
                population.finish(was_interrupted=must_stop())
            population.stop()
        return must_stop()


def _compile(
    run: RunDirectory,
    num_slots: int,
    find_positions: Callable[[], SolvedPositions | None],
    stop_requested: Callable[[], bool],
) -> tuple[Slots, SolvedPositions | None, Accuracy | None]:
    """Compiles the iteration, which partly takes one core, and on the others all else."""
    with concurrent.futures.ThreadPoolExecutor(1) as executor:
        in_thread = own_settings()  # each thread has settings of its own
        found = executor.submit(in_thread(find_positions))
        warmed_up = executor.submit(in_thread(lambda: warm_up(run, found.result())))
        slots = Slots(run.config.train, run.num_devices, num_slots, stop_requested)
    return slots, found.result(), warmed_up.result()


def warm_up(run: RunDirectory, positions: SolvedPositions | None) -> Accuracy | None:
    """Compiles the initial state, gating, and the evaluation of a solved game.

    The time of gating counts, and so it must not compile when it is due. No file of the run is
    read: one that is damaged stops its own session, and not a whole population.

    Returns:
      The accuracy of the initial network, if its game is solved and the network is of the seed.
    """
    state = sampled_state(run)
    if gate := make_gate(run):
        gate(state)
    is_solved = positions is not None and positions.is_complete
    accuracy_check = make_accuracy_check(run, positions) if is_solved else None
    accuracy = accuracy_check(state.actor) if accuracy_check else None
    return None if run.init_from else accuracy


class _Population:
    """How the sessions in training begin and end."""

    def __init__(
        self,
        sessions: list[Session],
        slots: Slots,
        waiting: Iterator[RunDirectory],
        begin: Callable[[RunDirectory, int], Session],
        on_end: Callable[[RunDirectory, Outcome], None],
    ):
        self._sessions, self._slots, self._waiting = sessions, slots, waiting
        self._begin, self._on_end = begin, on_end

    def start(self) -> bool:
        """Starts runs in the free slots, and returns whether any run is in training."""
        while free := self._slots.free_slots():
            try:
                run = next(self._waiting, None)
            except Exception:  # the next run cannot be created
                self.stop()
                raise
            if run is None:
                break
            try:
                with run_write_errors(run):
                    self._sessions.append(self._begin(run, free[0]))
            except (InputError, RunError) as error:
                self._on_end(run, Outcome([], None, 0.0, was_interrupted=False, error=error))
            self.finish(was_interrupted=False)  # a resumed run may have reached its limits
        return bool(self._sessions)

    @contextlib.contextmanager
    def ending_if_it_fails(self, session: Session) -> Iterator[None]:
        """Ends a session that cannot continue; the others do."""
        try:
            with run_write_errors(session.run):
                yield
        except RunError as error:
            self._end(session, session.end(error=error))

    def stop(self) -> None:
        """Saves and ends the sessions that are not finished."""
        for session in list(self._sessions):
            with self.ending_if_it_fails(session):
                session.stop()
        self.finish(was_interrupted=True)

    def finish(self, *, was_interrupted: bool) -> None:
        """Ends the sessions that are finished; what is saved stays if a last file cannot be."""
        for session in [session for session in self._sessions if session.is_finished]:
            try:
                with run_write_errors(session.run):
                    outcome = session.end(was_interrupted=was_interrupted)
            except RunError as error:
                outcome = session.end(error=error)
            self._end(session, outcome)

    def _end(self, session: Session, outcome: Outcome) -> None:
        self._sessions.remove(session)
        self._on_end(session.run, outcome)

    def close(self) -> None:
        """Closes the files of the sessions that remain after an error."""
        for session in self._sessions:
            session.close()
