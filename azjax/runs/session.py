"""A session of a run: its state in a slot, its files, its evaluations, and its end."""

import contextlib
import dataclasses
import time

from azjax.evaluation import Accuracy, SolvedPositions
from azjax.networks import Variables
from azjax.runs.checkpoint_schedule import CheckpointSchedule
from azjax.runs.evaluation.endings import ENDING_TEXTS, why_ended
from azjax.runs.evaluation.evaluations import (
    is_evaluation_due,
    is_gating_due,
    make_accuracy_check,
    make_gate,
)
from azjax.runs.evaluation.gating import Gate
from azjax.runs.evaluation.metric_rows import accuracy_row, best_iteration, iteration_row
from azjax.runs.evaluation.round_test import RoundTest
from azjax.runs.reporting.learning_curves import plot_curves
from azjax.runs.reporting.progress import TrainingProgress
from azjax.runs.slots import Slots
from azjax.runs.starting_state import check_has_checkpoints, starting_state
from azjax.runs.storage.answers import append_answers
from azjax.runs.storage.budget_shares import BudgetShares
from azjax.runs.storage.checkpoints import Checkpoints
from azjax.runs.storage.history_thinning import to_keep
from azjax.runs.storage.metrics_log import MetricsWriter
from azjax.runs.storage.network_history import NetworkHistory
from azjax.runs.storage.rewinding import rewind
from azjax.runs.storage.run_description import record_session, record_settings
from azjax.runs.storage.run_directory import RunDirectory
from azjax.runs.storage.run_errors import saved_until
from azjax.support.errors import InputError, RunError
from azjax.support.files.ownership import owned
from azjax.support.files.tables import Row
from azjax.support.signals import writing
from azjax.training import Metrics, TrainState


@dataclasses.dataclass(frozen=True, repr=False)
class Outcome:
    """The result of a session."""

    rows: list[Row]
    accuracy: Accuracy | None  # of the last state, if there are solved positions
    seconds: float  # of training, in all sessions
    was_interrupted: bool
    error: InputError | RunError | None = None  # why the run could not continue

    def __repr__(self) -> str:
        """Returns the outcome in one line."""
        iteration = self.rows[-1]["iteration"] if self.rows else 0
        facts = [f"iteration {iteration}", f"{self.seconds:.1f} s of training"]
        if self.accuracy:
            found = self.accuracy
            shares = f"{found.network:.2%} network, {found.search:.2%} search"
            facts.append(f"accuracy {shares} ({found.guess})")
        if self.was_interrupted:
            facts.append("interrupted")
        if self.error:
            facts.append(f"failed: {self.error}")
        return f"Outcome({', '.join(facts)})"


class Session:
    """A run in training, in one slot of a population."""

    def __init__(
        self,
        run: RunDirectory,
        slots: Slots,
        slot: int,
        positions: SolvedPositions | None,
        progress: TrainingProgress,
        initial_accuracy: Accuracy | None = None,
    ):
        """Acquires a slot, and restores the newest checkpoint or initializes the run from its seed.

        Args:
          run: The run's folder.
          slots: The slots of the population.
          slot: A free one.
          positions: The solved positions to measure accuracy on, if there are any.
          progress: Prints the progress.
          initial_accuracy: That of the initial network, if it has been measured.

        Raises:
          InputError: The run has checkpoints, but all are damaged, or its folder of checkpoints is
            gone; or another process owns it.
          RunError: Another process has taken the folder.
          OSError: A file cannot be written.
        """
        self.run, self.slot = run, slot
        self._slots, self._progress = slots, progress
        self._accuracy_check = make_accuracy_check(run, positions)
        self._gate = make_gate(run)
        self._budget_share = 0.0  # of the iteration under way
        self._is_evaluated = False  # the network of the last iteration
        self._accuracy: Accuracy | None = None
        with contextlib.ExitStack() as stack:
            state = self._open(stack)
            ending = why_ended(run, self.rows[-1]) if self.rows else None
            self._owner.check()
            if ending:
                record_settings(run)
            else:
                record_session(run, self._iteration, slots.num_vmapped)
            if self._iteration == 0:
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
        """Records the share of the budget that is done, which the next iteration learns by.

        Raises:
          RunError: Another process has taken the run's folder.
          OSError: It cannot be written.
        """
        self._owner.check()
        self._budget_share = self._shares.begin(self._iteration + 1, self._share_done())
        self._slots.set_progress(self.slot, self._budget_share)

    def record(self, metrics: Metrics, seconds: float) -> bool:
        """Logs an iteration, and evaluates and saves the run when that is due.

        Args:
          metrics: Metrics of the iteration.
          seconds: Its duration.

        Returns:
          Whether the run was evaluated.

        Raises:
          RunError: The loss is not finite, or another process has taken the folder.
          OSError: A file cannot be written.
        """
        self._iteration += 1
        self._add_seconds(seconds)
        row = iteration_row(self.run.config.train, metrics, self._iteration, seconds)
        row["budget_share"] = self._budget_share
        row["compile_seconds"] = self._slots.compile_seconds
        self._check_finite(row)
        # Rounded, as `why_ended` reads them: else a perfect evaluation might not count as due.
        is_due = is_evaluation_due(
            self.run, self._iteration, self._seconds, row["iteration_seconds"]
        )
        self._is_evaluated = is_due or self._share_done() >= 1
        if self._is_evaluated:
            row |= self._evaluate()
        row["seconds"] = self._seconds
        self.is_finished = why_ended(self.run, row) is not None
        # Before the checkpoint: a resumed run computes again only the rows after its checkpoint.
        self._write_row(row)
        is_save_due = self._schedule.is_due(is_evaluation=self._is_evaluated)
        if self.is_finished or is_save_due:
            self._save()
        self._progress.update(self.run, row, self._share_done(), permanent=self._is_evaluated)
        return self._is_evaluated

    def stop(self) -> None:
        """Ends the session after an iteration, before the run's limits, and saves the run.

        Raises:
          RunError: Another process has taken the folder.
          OSError: A file cannot be written.
        """
        if self._iteration > self._saved_iteration:
            self._save()
        self.is_finished = True

    def finish(self, *, was_interrupted: bool) -> Outcome:
        """Closes the run's files, plots the curves of a saved run, and returns the outcome.

        Raises:
          OSError: A file cannot be written.
        """
        self.close()
        if self._saved_iteration > 0:  # a run with a picture has had a checkpoint
            plot_curves(self.rows, self.run.curves, self.run.title)
        return Outcome(self.rows, self._accuracy, self._seconds, was_interrupted)

    def fail(self, error: RunError) -> Outcome:
        """Closes the run's files, and returns the outcome of a run that cannot continue."""
        with contextlib.suppress(OSError):  # the buffers hold what could not be written
            self.close()
        return Outcome(self.rows, self._accuracy, self._seconds, False, error)

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
        rewind(run, self._iteration, self._history, self._checkpoints, self._owner)
        self._shares = stack.enter_context(
            contextlib.closing(BudgetShares(run.budget_shares, self._iteration))
        )
        self._writer = stack.enter_context(contextlib.closing(MetricsWriter(run, self._iteration)))
        return state

    def _evaluate_initial(self, actor: Variables, accuracy: Accuracy | None) -> None:
        """Keeps the initial network, and logs its accuracy, unless an earlier session did."""
        if self.rows:
            return
        self._owner.check()
        if not self.run.init_from:  # else it is there, and nowhere else
            self._history.save(0, actor)
        if self._accuracy_check:
            accuracy = accuracy or self._accuracy_check(actor)
            self._write_answers(accuracy)
            row = {"iteration": 0, "positions": 0, **accuracy_row(accuracy), "seconds": 0.0}
            self._write_row(row)
            self._progress.update(self.run, row, 0.0, permanent=True)

    def _evaluate(self) -> Row:
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

    def _run_gate(self, gate: Gate | RoundTest) -> Row:
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
        """Logs the metrics of an iteration."""
        self._owner.check()  # an evaluation may take minutes
        self._writer.write(row)

    def _write_answers(self, accuracy: Accuracy) -> None:
        """Records the answers before the row of metrics: no row that is recorded lacks them."""
        self._owner.check()  # an evaluation may take minutes
        if accuracy.answers is not None:
            append_answers(self.run.answers, self._iteration, accuracy.answers)

    def _save(self) -> None:
        """Saves a checkpoint, whose accuracy is that of the iteration if it was evaluated."""
        self._owner.check()
        self._writer.sync()  # a resumed run adds the events after its checkpoint only
        measured = self._accuracy if self._is_evaluated else None
        validation = measured.validation if measured else None
        accuracy = validation.search if validation else None
        with writing:
            self._checkpoints.save(self._slots.get_state(self.slot), accuracy)
        self._saved_iteration = self._iteration
        self._schedule.note_saved()

    def _share_done(self) -> float:
        return self.run.limits.share_done(self._iteration, self._seconds)

    def _check_finite(self, row: Row) -> None:
        if None not in (row["loss"], row["gradient_norm"]):
            return
        raise RunError(
            f"the loss is not finite at iteration {row['iteration']}; {saved_until(self.run)}; "
            "a lower --optimizer.learning-rate may help"
        )
