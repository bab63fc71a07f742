"""The phrases of a line of progress, and their layout in lines that break between phrases only."""

from azjax.support.files.tables import Row

_INDENT = "  "
COMPILING = "compiling, the first time for 10 s to a minute"
_GAUGE_WIDTH = 8


def log_phrases(row: Row, names_runs: bool) -> list[str]:
    """Returns the metrics of an iteration, with those of an evaluation if it was evaluated.

    Args:
      row: The metrics.
      names_runs: Whether several runs train; simulations per second are of all runs together.
    """
    return [
        f"{clock(row['seconds']):>7}",
        f"iteration {row['iteration']}",
        *_accuracy(row),
        *training_phrases(row, " in all" if names_runs else ""),
    ]


def live_phrases(row: Row, evaluation: Row, share_done: float) -> list[str]:
    """Returns the last accuracy, the time left, and the iteration.

    Args:
      row: The metrics of the iteration.
      evaluation: Those of the last evaluation, if there was one.
      share_done: The share of the run that is done.
    """
    left = row["seconds"] * (1 - share_done) / max(share_done, 1e-9)
    return [*_accuracy(evaluation), f"{clock(left)} left", f"iteration {row['iteration']}"]


def training_phrases(row: Row, of_runs: str = "") -> list[str]:
    """Returns the metrics of training, of which the initial network has none."""
    if row["iteration"] == 0:
        return []
    gate, rounds = row.get("gate_score"), row.get("rounds_passed")
    return [
        f"{row['simulations_per_second']:,.0f} simulations/s{of_runs}",
        f"policy loss {row['policy_loss']:.3f}",
        f"value loss {row['value_loss']:.3f}",
        *([] if gate is None else [f"gate {gate:.0%}"]),
        *([] if rounds is None else [f"rounds passed {rounds}"]),
    ]


def gauge(share_done: float) -> str:
    """Returns the share of a run that is done, as a bar and as a number."""
    filled = round(_GAUGE_WIDTH * share_done)
    return f"{'━' * filled}{'─' * (_GAUGE_WIDTH - filled)} {share_done:4.0%}"


def wrap(phrases: list[str], width: int | None) -> str:
    """Returns the phrases in lines of at most a width; a longer phrase has a line of its own."""
    lines = [phrases[0]]
    for phrase in phrases[1:]:
        if width is None or len(lines[-1]) + 2 + len(phrase) <= width:
            lines[-1] += "  " + phrase
        else:
            lines.append(_INDENT + phrase)
    return "\n".join(lines)


def clock(seconds: float) -> str:
    """Returns a duration, such as `2.9 s`, `04:30` or `01:04:30`."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, whole_seconds = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    of_hour = f"{minutes:02}:{whole_seconds:02}"
    return f"{hours:02}:{of_hour}" if hours else of_hour


def _accuracy(row: Row) -> list[str]:
    if row.get("accuracy_search") is None:
        return []
    shares = f"accuracy {row['accuracy_network']:.2%} network, {row['accuracy_search']:.2%} search"
    random = row.get("random_accuracy")  # older runs do not record it
    return [shares if random is None else f"{shares}, {random:.0%} random"]
