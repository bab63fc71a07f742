"""The progress of training: live lines for each run, and permanent ones at every evaluation."""

import time

from rich.console import Console, Group
from rich.live import Live
from rich.spinner import Spinner
from rich.text import Text

from azjax.runs.reporting.progress_phrases import (
    COMPILING,
    clock,
    gauge,
    live_phrases,
    log_phrases,
    training_phrases,
    wrap,
)
from azjax.runs.storage.run_directory import RunDirectory
from azjax.support.files.tables import Row


class TrainingProgress:
    """Prints live lines on a terminal, and permanent lines everywhere."""

    def __init__(self, console: Console, *, names_runs: bool = False):
        """Creates the display; with `names_runs` every line names the run's folder."""
        self.console = console
        self._names_runs = names_runs
        self._spinner = Spinner("dots")
        self._began = time.monotonic()
        self._is_compiling = True
        self._lines: dict[RunDirectory, list[str]] = {}  # the phrases of each live line
        self._evaluations: dict[RunDirectory, Row] = {}  # the last one of each run
        self._live = Live(get_renderable=self.render, console=console, transient=True)

    def __enter__(self) -> "TrainingProgress":
        """Starts the live lines; without a terminal, prints that it is compiling."""
        self._began = time.monotonic()
        if self.console.is_terminal:
            self._live.start()
        else:
            self.log(None, COMPILING)
        return self

    def __exit__(self, *exception) -> None:
        """Removes the live lines."""
        self._live.stop()

    def log(self, run: RunDirectory | None, text: str) -> None:
        """Prints a permanent line, about a run or about all."""
        self._print([*self._name(run), text])

    def warn(self, text: str) -> None:
        """Prints a permanent line that warns."""
        self._print([f"azjax: {text}"])

    def update(self, run: RunDirectory, row: Row, share_done: float, *, permanent: bool) -> None:
        """Shows the metrics of an iteration in the live line, and with `permanent` in another."""
        if permanent:
            self._print([*self._name(run), *log_phrases(row, self._names_runs)])
        if row.get("accuracy_search") is not None:
            self._evaluations[run] = row
        if row["iteration"] > 0:
            self._is_compiling = False
            phrases = live_phrases(row, self._evaluations.get(run, {}), share_done)
            if not self._names_runs:  # a line is enough for each of several runs
                phrases += training_phrases(row)
            self._lines[run] = [gauge(share_done), *self._name(run), *phrases]

    def remove(self, run: RunDirectory) -> None:
        """Removes the live line of a run."""
        self._lines.pop(run, None)

    def render(self) -> Group:
        """Returns the live lines."""
        lines = list(self._lines.values())
        if self._is_compiling:
            lines = [[COMPILING, clock(time.monotonic() - self._began)]]
        spinner = self._spinner.render(self.console.get_time())
        width = self.console.width
        texts = [wrap([f"{spinner} {first}", *rest], width) for first, *rest in lines]
        return Group(*map(Text, texts))

    def _name(self, run: RunDirectory | None) -> list[str]:
        return [run.path.name] if run and self._names_runs else []

    def _print(self, phrases: list[str]) -> None:
        """Prints phrases in one line, or on a terminal in as many lines as they need."""
        is_terminal = self.console.is_terminal
        text = wrap(phrases, self.console.width if is_terminal else None)
        self.console.print(text, highlight=False, soft_wrap=not is_terminal)
