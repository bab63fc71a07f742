"""A session of a run: its state in a slot, its files, its evaluations, and its end."""

import contextlib
import dataclasses
import time
from collections.abc import Iterator

import jax
import numpy as np

from azjax.evaluation import Accuracy, AccuracyCheck, SearchAgent, SolvedPositions
from azjax.networks import Variables
from azjax.runs.evaluation.endings import ENDING_TEXTS, is_evaluation_due, is_gating_due, why_ended
from azjax.runs.evaluation.gating import Gate, make_gate
from azjax.runs.evaluation.metric_rows import accuracy_row, best_iteration, iteration_row
from azjax.runs.reporting.learning_curves import plot_curves
from azjax.runs.reporting.progress import TrainingProgress
from azjax.runs.resuming import check_has_checkpoints, rewind, starting_state
from azjax.runs.slots import Slots
from azjax.runs.storage.answers import append_answers
from azjax.runs.storage.checkpoints import Checkpoints, CheckpointSchedule, last_checkpoint
from azjax.runs.storage.metrics_log import MetricsWriter, read_metrics
from azjax.runs.storage.network_history import NetworkHistory, to_keep
from azjax.runs.storage.run_description import record_session, record_settings
from azjax.runs.storage.run_directory import RunDirectory
from azjax.support.errors import InputError, RunError
from azjax.support.files.ownership import owned
from azjax.support.files.tables import Row
from azjax.support.machine.devices import devices_of_process
from azjax.training import Metrics, TrainState, make_game_and_network


@dataclasses.dataclass(frozen=True)
class Outcome:
    """The result of a session."""

    rows: list[Row] = dataclasses.field(repr=False)
    accuracy: Accuracy | None  # of the last state, if there are solved positions
    seconds: float  # of training, in all sessions
    was_interrupted: bool
    error: InputError | RunError | None = None  # why the run could not continue


class Session:
    """A run in training, in one slot of a population.

    Methods that write raise a RunError if another process has taken the run's folder, and an
    OSError if a file cannot be written.
    """

    def __init__(
        self,
        run: RunDirectory,
        slots: Slots,
        slot: int,
        positions: SolvedPositions | None,
        progress: TrainingProgress,
        initial_accuracy: Accuracy | None = None,
    ):
        """Acquires a free slot, for the newest checkpoint or a new state from the run's seed.

        The accuracy of the initial network is given if it has been measured.

        Raises:
          InputError: The run has checkpoints, but all are damaged, or its folder of checkpoints is
            gone; or another process owns it.
        """
        self.run, self.slot = run, slot
        self._slots, self._progress = slots, progress
        self._accuracy_check = make_accuracy_check(run, positions)
        self._gate = make_gate(run)
        self._budget_share = 0.0  # of the iteration under way
        self.is_evaluation_due = False  # after the last iteration
        self._accuracy: Accuracy | None = None
        with contextlib.ExitStack() as stack:
            state = self._open(stack)
            ending = why_ended(run, self.rows[-1]) if self.rows else None
            self._owner.check()
            if ending:
                record_settings(run)
            else:
                record_session(run, self._iteration, slots.num_vmapped)
            if not self.rows:
                self._evaluate_initial(state.actor, initial_accuracy)
            slots.acquire(slot, run.config.train)
            stack.callback(slots.release, slot)
            slots.set_state(slot, state)
            if ending:
                progress.log(run, f"nothing is left to do: {ENDING_TEXTS[ending]}")
                if self._accuracy_check:
                    self._accuracy = self._accuracy_check(state.actor)
            self._held = stack.pop_all()  # the slot, which is released first, and the files
        self._seconds = self.rows[-1]["seconds"] if self.rows else 0.0
        self.is_finished = ending is not None
        self._schedule = CheckpointSchedule()
        self._saved_iteration = self._iteration

    @property
    def rows(self) -> list[Row]:
        """The metrics of all iterations so far."""
        return self._writer.rows

    def begin_iteration(self) -> None:
        """Sets the share of the budget that is done, which the next iteration learns by."""
        self._owner.check()
        # Where a budget has been raised, the learning rate must not rise.
        share = max(self._shares.get(self._iteration, 0.0), float(np.float32(self.share_done())))
        self._budget_share = self._shares.setdefault(self._iteration + 1, share)
        self._slots.progress[self.slot] = self._budget_share

    def end_iteration(self, metrics: Metrics, seconds: float) -> Row:
        """Returns the row of an iteration, given the [P] metrics of all slots, and its duration.

        Raises:
          RunError: The loss is not finite.
        """
        self._iteration += 1
        self._add_seconds(seconds)
        own = jax.tree.map(lambda x: x[self.slot], metrics)
        row = iteration_row(self.run.config.train, own, self._iteration, seconds)
        row["budget_share"] = self._budget_share
        row["compile_seconds"] = self._slots.compile_seconds
        if None in (row["loss"], row["gradient_norm"]):
            raise RunError(
                f"the loss is not finite at iteration {self._iteration}; {saved_until(self.run)}; "
                "a lower --optimizer.learning-rate may help"
            )
        # Rounded, as `why_ended` reads them: else a perfect evaluation might not count as due.
        took = row["iteration_seconds"]
        is_due = is_evaluation_due(self.run, self._iteration, self._seconds, took)
        self.is_evaluation_due = is_due or self.share_done() >= 1
        return row

    def evaluate(self) -> Row:
        """Gates, stores and measures the network that plays; returns the columns to log."""
        row: Row = {}
        # Evaluations at a share or at the end of the run must not change it: they do not gate.
        if self._gate and is_gating_due(self.run, self._iteration):
            row |= self._run_gate(self._gate)
        actor = self._slots.get_actor(self.slot)
        self._save_network(actor)
        if self._accuracy_check:
            self._accuracy = self._accuracy_check(actor)
            self._write_answers(self._accuracy)
            row |= accuracy_row(self._accuracy)
        return row

    def log(self, row: Row) -> None:
        """Writes a row before its checkpoint: after that a resumed run computes rows again."""
        row["seconds"] = self._seconds
        self.is_finished = why_ended(self.run, row) is not None
        self._write_row(row)

    def save_if_due(self) -> None:
        """Saves a checkpoint where one is due, and at the end."""
        is_due = self._schedule.is_due(is_evaluation=self.is_evaluation_due)
        if self.is_finished or is_due:
            self._save()

    def stop(self) -> None:
        """Ends the session after an iteration, before the run's limits, and saves the run."""
        if self._iteration > self._saved_iteration:
            self._save()
        self.is_finished = True

    def end(self, *, was_interrupted: bool = False, error: RunError | None = None) -> Outcome:
        """Closes the run's files, plots the curves of a saved run, and returns the outcome."""
        if error:
            with contextlib.suppress(OSError):  # the buffers hold what could not be written
                self.close()
        else:
            self.close()
            if self._saved_iteration > 0:
                plot_curves({"": [self.rows]}, self.run.curves, self.run.title)
        return Outcome(self.rows, self._accuracy, self._seconds, was_interrupted, error)

    def close(self) -> None:
        """Releases the run's slot, and closes its files; a second call does nothing more."""
        self._progress.remove(self.run)
        self._held.close()

    def _open(self, stack: contextlib.ExitStack) -> TrainState:
        """Opens and rewinds the run's files, and returns the state that the session starts from."""
        run = self.run
        self._owner = run.owner or stack.enter_context(owned(run.path))
        self._owner.check()  # compilation takes long enough for the run to be taken
        self._history = stack.enter_context(contextlib.closing(NetworkHistory(run.history)))
        check_has_checkpoints(run, self._history.iterations())
        self._checkpoints = stack.enter_context(contextlib.closing(Checkpoints(run.checkpoints)))
        state = starting_state(run, self._checkpoints, self._progress)
        self._iteration = int(state.iteration)
        # The shares of the budget by iteration: those that are recorded are repeated.
        self._shares = dict(enumerate(run.budget_shares, start=1))
        rows = read_metrics(run.metrics)
        self._shares |= {row["iteration"]: row["budget_share"] for row in rows if row["iteration"]}
        rewind(run, self._iteration, self._history, self._checkpoints, self._owner)
        self._writer = stack.enter_context(contextlib.closing(MetricsWriter(run, self._iteration)))
        return state

    def _evaluate_initial(self, actor: Variables, accuracy: Accuracy | None) -> None:
        """Keeps the initial network, and logs its accuracy."""
        self._owner.check()
        if not self.run.init_from:  # else it is there, and nowhere else
            self._history.save(0, actor)
        if self._accuracy_check:
            accuracy = accuracy or self._accuracy_check(actor)
            self._write_answers(accuracy)
            row = {"iteration": 0, "positions": 0, **accuracy_row(accuracy), "seconds": 0.0}
            self._write_row(row)
            self._progress.update(self.run, row, 0.0, permanent=True)

    def _run_gate(self, gate: Gate) -> Row:
        """Gates the network; its games are a part of training, and so are their seconds."""
        began = time.perf_counter()
        state, found = gate(self._slots.get_state(self.slot))
        self._slots.set_state(self.slot, state)
        seconds = time.perf_counter() - began
        self._add_seconds(seconds)
        return {**found, "gating_seconds": round(seconds, 4)}

    def _add_seconds(self, seconds: float) -> None:
        """Adds to the time of training, rounded as it is logged: a resumed run reads it there."""
        self._seconds = round(self._seconds + seconds, 4)

    def _save_network(self, actor: Variables) -> None:
        """Adds a network to the history, and drops older ones."""
        dropped: list[int] = []
        if not self.run.keep_all_networks:
            iterations = sorted({*self._history.iterations(), self._iteration})
            interval = self.run.config.evaluate_every
            kept = to_keep(iterations, interval, best_iteration(self.rows))
            dropped = [i for i in iterations if i not in kept]
        self._owner.check()  # gating may take minutes
        self._history.save(self._iteration, actor)
        self._owner.check()
        self._history.delete(dropped)

    def _write_row(self, row: Row) -> None:
        self._owner.check()  # an evaluation may take minutes
        self._writer.write(row)

    def _write_answers(self, accuracy: Accuracy) -> None:
        """Records the answers before the row of metrics: no row that is recorded lacks them."""
        self._owner.check()  # an evaluation may take minutes
        if accuracy.answers is not None:
            append_answers(self.run.answers, self._iteration, accuracy.answers)

    def _save(self) -> None:
        """Saves a checkpoint, with the accuracy of the iteration if it was evaluated."""
        self._owner.check()
        self._writer.sync()  # a resumed run adds the events after its checkpoint only
        measured = self._accuracy.validation if self._accuracy else None
        accuracy = measured.search if measured and self.is_evaluation_due else None
        self._checkpoints.save(self._slots.get_state(self.slot), accuracy)
        self._saved_iteration = self._iteration
        self._schedule.note_saved()

    def share_done(self) -> float:
        """Returns the share of the run that is done."""
        return self.run.limits.share_done(self._iteration, self._seconds)


def make_accuracy_check(
    run: RunDirectory, positions: SolvedPositions | None
) -> AccuracyCheck | None:
    """Returns the accuracy check, or None if there are no solved positions."""
    if positions is None:
        return None
    agent = SearchAgent(*make_game_and_network(run.config.train), run.config.evaluation_search)
    return AccuracyCheck(agent, positions, devices_of_process(run.num_devices))


@contextlib.contextmanager
def run_write_errors(run: RunDirectory) -> Iterator[None]:
    """Converts an OSError raised inside into a RunError that names the last good checkpoint.

    A closed output is no error of the run: a BrokenPipeError passes. Neither is a write that fails
    because another worker has taken the run, and cleared away what was half written: that raises
    its TakenError.
    """
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        if run.owner:
            with contextlib.suppress(OSError):  # the disk cannot be read either
                run.owner.check()
        what = f"{error.filename or run.path}: {error.strerror}" if error.strerror else error
        raise RunError(f"{what}; {saved_until(run)}") from error


def saved_until(run: RunDirectory) -> str:
    """Returns a phrase that names the last good checkpoint of a run."""
    last = last_checkpoint(run.checkpoints)
    return "there is no checkpoint yet" if last is None else f"the last good checkpoint is {last}"
