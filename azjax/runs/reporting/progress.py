"""The progress of training: live lines for each run, and permanent ones at every evaluation."""

from collections.abc import Callable

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TaskID, TaskProgressColumn, TextColumn
from rich.table import Column

from azjax.runs.storage.run_directory import RunDirectory
from azjax.support.files.tables import Row

COMPILING = "compiling, the first time for 10 s to a minute"


class TrainingProgress:
    """Prints live lines on a terminal, and permanent lines everywhere."""

    def __init__(
        self,
        console: Console,
        *,
        names_runs: bool = False,
        on_row: Callable[[RunDirectory, Row], None] = lambda run, row: None,
    ):
        """Creates the display.

        Args:
          console: Where it is shown.
          names_runs: Whether every line names the run's folder.
          on_row: Gets a copy of each row of metrics, once that is in the run's file and shown.
        """
        self.console, self._on_row = console, on_row
        self._names_runs = names_runs
        self._accuracies: dict[RunDirectory, str] = {}  # at the last evaluation of each run
        self._lines: dict[RunDirectory, TaskID] = {}
        self.live = Progress(
            SpinnerColumn(),
            BarColumn(8),
            TaskProgressColumn(),
            TextColumn("{task.description}", markup=False, table_column=Column(ratio=1)),
            console=console,
            transient=True,
            expand=True,
            disable=not console.is_terminal,
        )
        self._compiling = self.live.add_task(COMPILING, total=None)

    def __enter__(self) -> "TrainingProgress":
        """Starts the live lines; without a terminal, prints that it is compiling."""
        self.live.start()
        if not self.console.is_terminal:
            self.log(None, COMPILING)
        return self

    def __exit__(self, *exception) -> None:
        """Removes the live lines."""
        self.live.stop()

    def log(self, run: RunDirectory | None, text: str) -> None:
        """Prints a permanent line, about a run or about all."""
        name = f"{run.path.name}  " if run and self._names_runs else ""
        is_terminal = self.console.is_terminal
        self.console.print(f"{name}{text}", highlight=False, soft_wrap=not is_terminal)

    def warn(self, text: str) -> None:
        """Prints a permanent line that warns."""
        self.log(None, f"azjax: {text}")

    def update(self, run: RunDirectory, row: Row, share_done: float, *, permanent: bool) -> None:
        """Shows the metrics of an iteration in the live line, and with `permanent` in another."""
        iteration, accuracy = f"iteration {row['iteration']}", _accuracy(row)
        if permanent:
            training = _training(row, " in all" if self._names_runs else "")
            texts = [f"{clock(row['seconds']):>7}", iteration, accuracy, *training]
            self.log(run, "  ".join(filter(None, texts)))
        if accuracy:
            self._accuracies[run] = accuracy
        if row["iteration"] > 0:
            self.live.update(self._compiling, visible=False)
            left = row["seconds"] * (1 - share_done) / max(share_done, 1e-9)
            texts = [self._accuracies.get(run, ""), f"{clock(left)} left", iteration]
            # A line is enough for each of several runs.
            texts = [run.path.name, *texts] if self._names_runs else [*texts, *_training(row)]
            line = self._lines.get(run) or self.live.add_task("", total=1.0)
            self._lines[run] = line
            text = "  ".join(filter(None, texts))
            self.live.update(line, completed=share_done, description=text)
        self._on_row(run, dict(row))

    def remove(self, run: RunDirectory) -> None:
        """Removes the live line of a run."""
        if run in self._lines:
            self.live.remove_task(self._lines.pop(run))


def clock(seconds: float) -> str:
    """Returns a duration, such as `2.9 s`, `04:30` or `01:04:30`."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, whole_seconds = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    of_hour = f"{minutes:02}:{whole_seconds:02}"
    return f"{hours:02}:{of_hour}" if hours else of_hour


def _accuracy(row: Row) -> str:
    """Returns the accuracy in the row of an evaluation, or an empty text."""
    if row.get("accuracy_search") is None:
        return ""
    shares = f"accuracy {row['accuracy_network']:.2%} network, {row['accuracy_search']:.2%} search"
    random = row.get("random_accuracy")  # none where values are measured, and not moves
    return shares if random is None else f"{shares}, {random:.0%} random"


def _training(row: Row, of_runs: str = "") -> list[str]:
    """Returns the metrics of training, of which the initial network has none."""
    if row["iteration"] == 0:
        return []
    gate, rounds = row.get("gate_score"), row.get("rounds_passed")
    return [
        f"{row['simulations_per_second']:,.0f} simulations/s{of_runs}",
        f"policy loss {row['policy_loss']:.3f}",
        f"value loss {row['value_loss']:.3f}",
        "" if gate is None else f"gate {gate:.0%}",
        "" if rounds is None else f"rounds passed {rounds}",
    ]
