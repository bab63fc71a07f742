"""The progress of training: a live line for each run, and a permanent one at every evaluation."""

import time

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    Task,
    TaskID,
    TextColumn,
)
from rich.table import Column
from rich.text import Text

from azjax.runs.run_directory import RunDirectory
from azjax.support.tables import Row


def _unwrapped() -> Column:
    return Column(no_wrap=True)


class _TruncatedColumn(ProgressColumn):
    """The description, truncated at the end of the terminal; the other columns never are."""

    def render(self, task: Task) -> Text:
        return Text(task.description, no_wrap=True, overflow="ellipsis")


class TrainingProgress:
    """Prints live lines on a terminal, and permanent lines everywhere."""

    def __init__(self, console: Console, *, names_runs: bool = False):
        """Creates the display; with `names_runs` every line names the run's folder."""
        self.console = console
        self._names_runs = names_runs
        self._progress = Progress(
            SpinnerColumn(table_column=_unwrapped()),
            BarColumn(bar_width=20, table_column=_unwrapped()),
            TextColumn("{task.percentage:>3.0f}%"),
            _TruncatedColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self._compiling = self._progress.add_task("compiling", total=1.0)
        self._tasks: dict[RunDirectory, TaskID] = {}
        self._accuracy: dict[RunDirectory, str] = {}

    def __enter__(self) -> "TrainingProgress":
        """Starts the live lines; without a terminal, prints that it is compiling."""
        self._progress.start()
        if not self.console.is_terminal:
            self.log(None, "compiling")
        return self

    def __exit__(self, *exception) -> None:
        """Removes the live lines."""
        self._progress.stop()

    def log(self, run: RunDirectory | None, text: str) -> None:
        """Prints a permanent line, about a run or about all."""
        name = f"{run.path.name}  " if run and self._names_runs else ""
        self.console.print(name + text, highlight=False, soft_wrap=True)

    def update(self, run: RunDirectory, row: Row, share_done: float, *, permanent: bool) -> None:
        """Shows the metrics of an iteration in the live line, and with `permanent` in another."""
        text = f"iteration {row['iteration']}  {self._numbers(run, row)}"
        if permanent:
            self.log(run, f"{_clock(row['seconds']):>7}  {text}")
        seconds_left = row["seconds"] * (1 - share_done) / max(share_done, 1e-9)
        name = f"{run.path.name}  " if self._names_runs else ""
        self._progress.update(
            self._task(run),
            completed=share_done,
            description=f"{_clock(seconds_left)} left  {name}{text}",
        )

    def remove(self, run: RunDirectory) -> None:
        """Removes the live line of a run."""
        if run in self._tasks:
            self._progress.remove_task(self._tasks.pop(run))

    def _task(self, run: RunDirectory) -> TaskID:
        self._progress.update(self._compiling, visible=False)
        if run not in self._tasks:
            self._tasks[run] = self._progress.add_task("", total=1.0)
        return self._tasks[run]

    def _numbers(self, run: RunDirectory, row: Row) -> str:
        numbers = (
            f"{row['simulations_per_second']:,.0f} simulations/s{' in all' * self._names_runs}  "
            f"policy loss {row['policy_loss']:.3f}  value loss {row['value_loss']:.3f}"
        )
        if row.get("gate_score") is not None:
            numbers += f"  gate {row['gate_score']:.0%}"
        if row.get("accuracy_search") is not None:
            self._accuracy[run] = (
                f"  accuracy {row['accuracy_network']:.2%} network, "
                f"{row['accuracy_search']:.2%} search"
            )
        return numbers + self._accuracy.get(run, "")


def _clock(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.1f} s"
    return time.strftime("%M:%S" if seconds < 3600 else "%H:%M:%S", time.gmtime(seconds))
