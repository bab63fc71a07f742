"""What a person sees while a run trains: one live line, and a lasting one at every look."""

import time

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn

from azjax.runs.metrics import Row


class TrainingProgress:
    """A progress line on a terminal; elsewhere only the lasting lines are printed."""

    def __init__(self, console: Console):
        self.console = console
        self._progress = Progress(
            SpinnerColumn(),
            BarColumn(bar_width=20),
            TextColumn("{task.percentage:>3.0f}%"),
            TextColumn("{task.description}"),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self._task = self._progress.add_task("compiling", total=1.0)
        self._accuracy = ""

    def __enter__(self) -> "TrainingProgress":
        """Starts the live line."""
        self._progress.start()
        return self

    def __exit__(self, *exception) -> None:
        """Takes the live line away."""
        self._progress.stop()

    def say(self, text: str) -> None:
        """Prints a lasting line."""
        self.console.print(text, highlight=False, soft_wrap=True)

    def show(self, row: Row, share_done: float, seconds_left: float, lasting: bool) -> None:
        """Shows an iteration's numbers in the live line, and in a lasting one where asked to."""
        numbers = (
            f"iteration {row['iteration']}  {row['simulations_per_second']:,.0f} simulations/s  "
            f"policy loss {row['policy_loss']:.3f}  value loss {row['value_loss']:.3f}"
        )
        if row.get("accuracy_search") is not None:
            self._accuracy = (
                f"  accuracy {row['accuracy_network']:.2%} network, "
                f"{row['accuracy_search']:.2%} search"
            )
        if row.get("gate_score") is not None:
            numbers += f"  gate {row['gate_score']:.0%}"
        if lasting:
            self.say(f"{_clock(row['seconds']):>6}  {numbers}{self._accuracy}")
        left = f"  {_clock(seconds_left)} left"
        self._progress.update(
            self._task, completed=share_done, description=numbers + self._accuracy + left
        )


def _clock(seconds: float) -> str:
    return time.strftime("%M:%S" if seconds < 3600 else "%H:%M:%S", time.gmtime(seconds))
