"""A run in training: what it keeps on disk, how it is watched, and when it is over."""

import contextlib
import dataclasses
import time

import jax

from azjax.evaluation import SolvedPositions
from azjax.evaluation.accuracy_check import Accuracy, AccuracyCheck
from azjax.runs.checkpoints import Checkpoints
from azjax.runs.gating import Gate
from azjax.runs.learning_curves import plot_curves
from azjax.runs.metric_rows import accuracy_row, iteration_row
from azjax.runs.metrics_log import MetricsWriter
from azjax.runs.network_history import NetworkHistory
from azjax.runs.progress import TrainingProgress
from azjax.runs.restore import train_state_shapes
from azjax.runs.run_directory import RunDirectory, precision_name, read_description
from azjax.runs.slots import Slots
from azjax.support.errors import InputError, RunError
from azjax.support.tables import Row
from azjax.training import Metrics, TrainState, init_train_state, make_game_and_network

_SECONDS_BETWEEN_CHECKPOINTS = 15


@dataclasses.dataclass(frozen=True)
class Outcome:
    """How a session of a run ended."""

    rows: list[Row]
    accuracy: Accuracy | None  # of the last state, where positions are solved
    seconds: float  # of training, those of earlier sessions too
    was_interrupted: bool
    error: InputError | RunError | None = None  # why it could not go on


class Session:
    """One run of a population, in its place on the device."""

    def __init__(
        self,
        run: RunDirectory,
        slots: Slots,
        slot: int,
        positions: SolvedPositions | None,
        progress: TrainingProgress,
    ):
        """Goes on from the run's newest checkpoint, or begins from its seed.

        Args:
          run: The run's folder.
          slots: The population's.
          slot: The member's own; nobody else has taken it.
          positions: The solved positions to measure accuracy on, if there are any.
          progress: What a person sees.

        Raises:
          InputError: It has checkpoints, and none is whole.
        """
        self.run, self.slot = run, slot
        self._places, self._progress = slots, progress
        self._check = _make_check(run, positions)
        self._gate = _make_gate(run)
        with contextlib.ExitStack() as stack:
            self._history = stack.enter_context(contextlib.closing(NetworkHistory(run.history)))
            self._checkpoints = stack.enter_context(
                contextlib.closing(Checkpoints(run.checkpoints))
            )
            state = self._first_state()
            self._iteration = int(state.iteration)
            self._writer = stack.enter_context(
                contextlib.closing(MetricsWriter(run, self._iteration))
            )
            self._files = stack.pop_all()
        slots.take(slot, run.config.hparams)
        slots.put(slot, state)
        rows = self._writer.rows
        self._seconds = rows[-1]["seconds"] if rows else 0.0
        self._accuracy = self._check(state.acting) if self._was_evaluated() else None
        self.is_over = self._iteration > 0 and (self._share_done() >= 1 or self._is_good_enough())
        if self.is_over:
            why = "agent is perfect" if self._is_good_enough() else "run has reached its limit"
            progress.log(run, f"nothing is left to do: the {why}")
        self._saved_at = time.perf_counter()

    @property
    def rows(self) -> list[Row]:
        """The metrics of every iteration so far."""
        return self._writer.rows

    def record(self, metrics: Metrics, seconds: float, *, is_stopping: bool) -> bool:
        """Takes note of an iteration, and looks at the network where it is time to.

        Args:
          metrics: Of the iteration.
          seconds: That it took.
          is_stopping: Whether it is to be the last one of this session.

        Returns:
          Whether it had a look.

        Raises:
          RunError: The run cannot go on: a loss is not finite, or a file cannot be written.
        """
        self._iteration += 1
        self._seconds += seconds
        row = iteration_row(self.run.config.train, metrics, self._iteration, seconds)
        row["compile_seconds"] = self._places.compile_seconds
        self._check_finite(row)
        self.is_over = self._share_done() >= 1 or is_stopping
        is_evaluation = self.is_over or self._is_due()
        if is_evaluation:
            row |= self._evaluate()
            self.is_over |= self._is_good_enough()
        row["seconds"] = round(self._seconds, 3)
        self._writer.write(row)  # before the checkpoint: a row without one is forgotten, not missed
        waited = time.perf_counter() - self._saved_at
        if self.is_over or (is_evaluation and waited > _SECONDS_BETWEEN_CHECKPOINTS):
            self._save()
        self._progress.show(self.run, row, self._share_done(), is_evaluation)
        return is_evaluation

    def prune(self) -> None:
        """Ends the run after a look, whatever its limits."""
        if not self.is_over:
            self._save()
        self.is_over = True

    def end(self, *, was_interrupted: bool) -> Outcome:
        """Closes the run's files, draws its curves, and returns how it ended."""
        self.close()
        plot_curves(self.rows, self.run.curves, f"{self.run.preset}, seed {self.run.seed}")
        return Outcome(self.rows, self._accuracy, self._seconds, was_interrupted)

    def fail(self, error: RunError) -> Outcome:
        """Closes the run's files, and returns that it could not go on."""
        self.close()
        return Outcome(self.rows, self._accuracy, self._seconds, False, error)

    def close(self) -> None:
        """Closes the run's files, and leaves its place."""
        self._files.close()
        self._places.leave(self.slot)
        self._progress.remove(self.run)

    def _first_state(self) -> TrainState:
        """Returns the state to go on from: the newest checkpoint's, else the seed's."""
        run, log = self.run, self._progress.log
        if self._checkpoints.iterations():
            restored = self._checkpoints.restore(train_state_shapes(run))
            for warning in restored.warnings:
                log(run, warning)
            log(run, f"resuming from iteration {restored.iteration}")
            begun, now = read_description(run.path)["precision"], precision_name(run.config)
            if begun != now:
                log(run, f"it was begun in {begun} and goes on in {now}: not bit for bit")
            return restored.state
        if run.metrics.exists():
            log(run, f"no checkpoint yet: starting again from seed {run.seed}")
        return _begin(run)

    def _evaluate(self) -> Row:
        """Keeps the network that plays, measures it, and returns what was found."""
        row: Row = {}
        if self._gate and self._is_due():  # an end that comes early must not change the run
            state, row["gate_score"] = self._gate(self._places.state(self.slot))
            self._places.put(self.slot, state)
        acting = self._places.acting(self.slot)
        self._history.save(self._iteration, acting)
        if self._check:
            self._accuracy = self._check(acting)
            row |= accuracy_row(self._accuracy)
        return row

    def _save(self) -> None:
        accuracy = self._accuracy and self._accuracy.search
        self._checkpoints.save(self._places.state(self.slot), accuracy)
        self._saved_at = time.perf_counter()

    def _is_due(self) -> bool:
        return self._iteration % self.run.config.evaluate_every == 0

    def _was_evaluated(self) -> bool:
        """Tells whether the uninterrupted run measured accuracy at the state it goes on from."""
        return self._check is not None and self._iteration > 0 and self._is_due()

    def _share_done(self) -> float:
        return self.run.limits.share_done(self._iteration, self._seconds)

    def _is_good_enough(self) -> bool:
        wanted = self.run.config.stop_when_perfect
        return wanted and self._accuracy is not None and self._accuracy.is_perfect

    def _check_finite(self, row: Row) -> None:
        if None not in (row["loss"], row["gradient_norm"]):
            return
        kept = self._checkpoints.iterations()
        last = f"the last good checkpoint is {kept[-1]}" if kept else "there is no checkpoint yet"
        raise RunError(
            f"the loss is not finite at iteration {row['iteration']}; {last}; "
            "a lower --hparams.learning-rate may help"
        )


def warm_up(run: RunDirectory, positions: SolvedPositions | None) -> None:
    """Compiles the initial state, and the evaluation of a solved game, while Slots compiles.

    The compilation of the iteration partly runs on one core, so the other cores are free.
    """
    state = _begin(run)
    check = _make_check(run, positions) if positions and positions.is_complete else None
    if check:
        check(state.acting)


def _begin(run: RunDirectory) -> TrainState:
    init = jax.jit(init_train_state, static_argnums=0)
    return init(run.config.train, run.config.hparams, jax.random.key(run.seed))


def _make_check(run: RunDirectory, positions: SolvedPositions | None) -> AccuracyCheck | None:
    """Returns the accuracy check, or None where there are no solved positions."""
    if positions is None:
        return None
    game, network = make_game_and_network(run.config.train)
    return AccuracyCheck(
        game,
        network,
        run.config.evaluation_search,
        run.config.hparams.search,
        positions,
        run.num_devices,
    )


def _make_gate(run: RunDirectory) -> Gate | None:
    train = run.config.train
    return Gate(train, run.config.hparams.search, run.num_devices) if train.gating_games else None
