"""A run from its first iteration, or its newest checkpoint, to its end."""

import contextlib
import dataclasses
import math
import resource
import sys
import time
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax.sharding import Mesh

from azjax.devices import make_mesh
from azjax.evaluation import Truth, is_solvable
from azjax.runs.accuracy import Accuracy, AccuracyCheck
from azjax.runs.agent import train_state_shapes
from azjax.runs.checkpoints import Checkpoints
from azjax.runs.config import RunConfig
from azjax.runs.curves import draw_curves
from azjax.runs.errors import RunError, input_errors
from azjax.runs.folder import RunFolder
from azjax.runs.gate import Gate
from azjax.runs.history import History
from azjax.runs.interrupts import stop_requests
from azjax.runs.limits import Limits
from azjax.runs.metrics import MetricsWriter, Row
from azjax.runs.progress import TrainingProgress
from azjax.training import (
    Hyperparameters,
    Metrics,
    TrainConfig,
    TrainState,
    compile_iteration,
    init_train_state,
    make_game_and_network,
    shard_state,
)

_SECONDS_BETWEEN_CHECKPOINTS = 15


@dataclasses.dataclass(frozen=True)
class Outcome:
    """How a session of a run ended."""

    rows: list[Row]
    accuracy: Accuracy | None  # of the last state, where truth is known
    seconds: float
    was_interrupted: bool


def train(
    run: RunFolder, limits: Limits, truth: Truth | None, resume: bool, progress: TrainingProgress
) -> Outcome:
    """Trains a run until its limits, until it is perfect, or until it is asked to stop.

    Args:
      run: The run's folder.
      limits: When it is over.
      truth: Positions to measure accuracy on; without, a game small enough is solved.
      resume: Whether to go on from the newest checkpoint.
      progress: What a person sees.

    Raises:
      RunError: It cannot go on: a loss is not finite, or a checkpoint cannot be written.
    """
    config = run.config
    hparams = jax.tree.map(jnp.float32, config.hparams)
    with input_errors():
        mesh = make_mesh(run.num_devices)
        iterate = compile_iteration(config.train, mesh)
    check = _accuracy_check(run, truth)
    gate = (
        Gate(config.train, config.hparams.search, run.num_devices)
        if config.train.gating_games
        else None
    )

    with contextlib.ExitStack() as stack:
        stop_requested = stack.enter_context(stop_requests())
        history = stack.enter_context(contextlib.closing(History(run.history)))
        checkpoints = stack.enter_context(contextlib.closing(Checkpoints(run.checkpoints)))
        state = _first_state(run, checkpoints, hparams, mesh, resume, progress)
        writer = stack.enter_context(contextlib.closing(MetricsWriter(run, int(state.iteration))))
        stack.enter_context(progress)
        clock = _Clock(writer.rows[-1]["seconds"] if writer.rows else 0.0)
        iterate, compile_seconds = _compile(iterate, hparams, state)
        accuracy = check(state.acting) if _was_looked_at(config, state, check) else None
        is_at_limit = limits.share_done(int(state.iteration), clock.seconds()) >= 1
        is_over = (is_at_limit and state.iteration > 0) or _is_good_enough(config, accuracy)
        saved_at = clock.seconds()

        while not is_over:
            began = clock.seconds()
            state, metrics = iterate(hparams, state)
            metrics = jax.device_get(metrics)
            row = _make_row(config.train, metrics, int(state.iteration), clock.seconds() - began)
            row["compile_seconds"] = compile_seconds
            _check_finite(row, checkpoints)

            share_done = limits.share_done(row["iteration"], clock.seconds())
            is_over = share_done >= 1 or stop_requested()
            is_due = row["iteration"] % config.evaluate_every == 0
            is_look = is_over or is_due
            if is_due and gate:  # only then: an end that comes early must not change the run
                state, row["gate_score"] = gate(state)
            if is_look:
                history.save(row["iteration"], state.acting)
            if is_look and check:
                accuracy = check(state.acting)
                row |= _accuracy_columns(accuracy)
                is_over |= _is_good_enough(config, accuracy)
            row["seconds"] = round(clock.seconds(), 3)
            writer.write(row)  # before the checkpoint: a row without one is forgotten, not missed
            if is_over or (is_look and clock.seconds() - saved_at > _SECONDS_BETWEEN_CHECKPOINTS):
                checkpoints.save(state, accuracy and accuracy.search)
                saved_at = clock.seconds()
            seconds_left = clock.seconds() * (1 - share_done) / max(share_done, 1e-9)
            progress.show(row, share_done, seconds_left, is_look)

    draw_curves(writer.rows, run.curves, f"{run.preset}, seed {run.seed}")
    return Outcome(writer.rows, accuracy, clock.seconds(), stop_requested())


def _compile(
    iterate: Callable, hparams: Hyperparameters, state: TrainState
) -> tuple[Callable, float]:
    """Returns the compiled iteration, and how many seconds that took."""
    began = time.perf_counter()
    compiled = iterate.lower(hparams, state).compile()
    return compiled, round(time.perf_counter() - began, 3)


def _was_looked_at(config: RunConfig, state: TrainState, check: AccuracyCheck | None) -> bool:
    """Tells whether the uninterrupted run measured accuracy at this state."""
    iteration = int(state.iteration)
    return check is not None and iteration > 0 and iteration % config.evaluate_every == 0


def _is_good_enough(config: RunConfig, accuracy: Accuracy | None) -> bool:
    return config.stop_when_perfect and accuracy is not None and accuracy.is_perfect


class _Clock:
    """Seconds that a run has been trained for, in this session and before."""

    def __init__(self, seconds_before: float):
        self._start = time.perf_counter() - seconds_before

    def seconds(self) -> float:
        return time.perf_counter() - self._start


def _first_state(
    run: RunFolder,
    checkpoints: Checkpoints,
    hparams: Hyperparameters,
    mesh: Mesh,
    resume: bool,
    progress: TrainingProgress,
) -> TrainState:
    """Returns the state to go on from: the newest checkpoint's, else the seed's."""
    if resume and checkpoints.iterations():
        restored = checkpoints.restore(train_state_shapes(run))
        for warning in restored.warnings:
            progress.say(warning)
        progress.say(f"resuming from iteration {restored.iteration}")
        return shard_state(restored.state, mesh)
    if resume:
        progress.say(f"no checkpoint yet: starting again from seed {run.seed}")
    init = jax.jit(init_train_state, static_argnums=0)
    return shard_state(init(run.config.train, hparams, jax.random.key(run.seed)), mesh)


def _accuracy_check(run: RunFolder, truth: Truth | None) -> AccuracyCheck | None:
    """Returns the check against truth, or None where none is known."""
    config = run.config
    game, network = make_game_and_network(config.train)
    if truth is None and not is_solvable(game):
        return None
    search = dataclasses.replace(config.train.search, num_simulations=config.evaluation_simulations)
    return AccuracyCheck(game, network, search, config.hparams.search, truth, run.num_devices)


def _make_row(config: TrainConfig, metrics: Metrics, iteration: int, seconds: float) -> Row:
    """Returns what there is to tell of an iteration that took so many seconds."""
    values = {name: _number(x) for name, x in metrics._asdict().items()}
    moves = config.positions_per_iteration
    return {
        "iteration": iteration,
        "positions": iteration * moves,
        **values,
        "replay_ratio": config.replay_ratio,
        "games_per_second": round(values["games_finished"] / seconds, 1),
        "simulations_per_second": round(moves * config.search.num_simulations / seconds, 1),
        "iteration_seconds": round(seconds, 4),
        "memory_mb": _peak_memory_mb(),
    }


def _number(x: Any) -> float | int | None:
    """Returns a Python number, or None, JSON's way of having none, where it is not finite."""
    value = x.item()
    return round(value, 6) if math.isfinite(value) else None


def _peak_memory_mb() -> int:
    """Returns the accelerator's peak, or where there is none the process's."""
    statistics = jax.local_devices()[0].memory_stats() or {}
    if "peak_bytes_in_use" in statistics:
        return statistics["peak_bytes_in_use"] // 2**20
    unit = 2**20 if sys.platform == "darwin" else 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // unit


def _check_finite(row: Row, checkpoints: Checkpoints) -> None:
    if None not in (row["loss"], row["gradient_norm"]):
        return
    kept = checkpoints.iterations()
    last = f"the last good checkpoint is {kept[-1]}" if kept else "there is no checkpoint yet"
    raise RunError(
        f"the loss is not finite at iteration {row['iteration']}; {last}; "
        "a lower --hparams.learning-rate may help"
    )


def _accuracy_columns(accuracy: Accuracy | None) -> Row:
    if accuracy is None:
        return {}
    columns: Row = {"accuracy_network": accuracy.network, "accuracy_search": accuracy.search}
    if accuracy.exploitability is not None:
        columns["exploitability"] = accuracy.exploitability
    if accuracy.lines is not None:
        columns["lines_lost"] = sum(lines.lost for lines in accuracy.lines)
    return columns
