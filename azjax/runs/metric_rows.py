"""What the rows of a run's metrics tell: of an iteration, and of a look at accuracy."""

import math
from typing import Any

from azjax.evaluation.accuracy_check import Accuracy
from azjax.support.memory import peak_megabytes
from azjax.support.tables import Row
from azjax.training import Metrics, TrainConfig


def iteration_row(config: TrainConfig, metrics: Metrics, iteration: int, seconds: float) -> Row:
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
        "memory_mb": peak_megabytes(),
    }


def accuracy_row(accuracy: Accuracy) -> Row:
    """Returns what a look at accuracy adds to the row of its iteration."""
    row: Row = {"accuracy_network": accuracy.network, "accuracy_search": accuracy.search}
    if accuracy.exploitability is not None:
        row["exploitability"] = accuracy.exploitability
    if accuracy.lines is not None:
        row["lines_lost"] = sum(lines.lost for lines in accuracy.lines)
    return row


def _number(x: Any) -> float | int | None:
    """Returns a Python number, or None, JSON's way of having none, where it is not finite."""
    value = x.item()
    return round(value, 6) if math.isfinite(value) else None
