"""The rows of a run's metrics: the columns of an iteration, and of an evaluation."""

import math

import chex

from azjax.evaluation import Accuracy
from azjax.support.files.tables import Row
from azjax.support.machine.memory import peak_megabytes
from azjax.training import Metrics, TrainConfig


def iteration_row(config: TrainConfig, metrics: Metrics, iteration: int, seconds: float) -> Row:
    """Returns the row of an iteration, given its metrics, its number from 1, and its duration.

    `positions` are of self-play so far; rates and `iteration_seconds` are of this iteration;
    `memory_mb` is the peak so far; the others are the columns of `Metrics`.
    """
    moves = config.positions_per_iteration
    simulations = moves * metrics.simulations_per_move.item()
    return {
        "iteration": iteration,
        "positions": iteration * moves,
        **{name: _number(x) for name, x in metrics.by_column().items()},
        "replay_ratio": config.replay_ratio,
        "games_per_second": round(metrics.games_finished.item() / seconds, 1),
        "simulations_per_second": round(simulations / seconds, 1),
        "iteration_seconds": round(seconds, 4),
        "memory_mb": peak_megabytes(),
    }


def accuracy_row(accuracy: Accuracy) -> Row:
    """Returns the columns that an accuracy check adds to the row of its iteration.

    The accuracies of the halves are with search: choices look at `validation_accuracy` alone, and
    `test_accuracy` is reported of an agent that was chosen. Random play has no accuracy of values.
    """
    row: Row = {"accuracy_network": accuracy.network, "accuracy_search": accuracy.search}
    if accuracy.validation is not None:
        row["validation_accuracy"] = accuracy.validation.search
    row["test_accuracy"] = accuracy.test.search
    if accuracy.has_actions:
        row["random_accuracy"] = accuracy.random
        row["choice_matters"] = accuracy.choice_matters
    if accuracy.exploitability is not None:
        row["exploitability"] = accuracy.exploitability
    if accuracy.lines is not None:
        row["lines_lost"] = sum(lines.lost for lines in accuracy.lines)
    return row


def is_perfect(row: Row) -> bool:
    """Tells whether a row with the columns of `accuracy_row` is of a perfect agent."""
    shares = row.get("accuracy_network"), row.get("accuracy_search")
    return row.get("exploitability") == 0 and shares == (1.0, 1.0)


def best_iteration(rows: list[Row]) -> int | None:
    """Returns the first iteration of the highest accuracy that chooses, if it was measured."""
    measured = [row for row in rows if row.get("validation_accuracy") is not None]
    best = max(measured, key=lambda row: row["validation_accuracy"], default=None)
    return best["iteration"] if best else None


def _number(x: chex.Array) -> float | int | None:
    """Returns a Python number, or None if it is not finite, which JSON cannot express."""
    value = x.item()
    if isinstance(value, int):
        return value
    return float(f"{value:.7g}") if math.isfinite(value) else None
