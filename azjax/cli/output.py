"""The console, tables, warnings and progress of the commands."""

import contextlib
import sys
from collections.abc import Callable, Iterator, Sequence

from rich.console import Console
from rich.measure import Measurement
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from azjax.evaluation import Accuracy, MatchResult
from azjax.runs.reporting.progress import COMPILING
from azjax.support.plurals import count

console = Console(markup=False, emoji=False)  # paths may contain markup


def make_table(title: str, *columns: str, folds_names: bool = False) -> Table:
    """Returns an empty table with columns of numbers, or with one text column without a header.

    Args:
      title: The line above it.
      columns: The headers of the columns of numbers.
      folds_names: Whether names longer than a line are folded, so that the numbers are in sight.
    """
    table = Table(title=title, show_header=bool(columns), title_justify="left")
    table.add_column("", no_wrap=not folds_names, overflow="fold")
    for column in columns or ("",):
        table.add_column(column, justify="right" if columns else "left")
    return table


def fits(table: Table) -> bool:
    """Tells whether the console shows a table without wrapping or cutting a cell."""
    unlimited = console.options.update(max_width=sys.maxsize)
    return Measurement.get(console, unlimited, table).maximum <= console.width


def add_accuracy(
    table: Table, accuracy: Accuracy, simulations: int, *, was_chosen: bool = False
) -> None:
    """Adds rows with the result of an accuracy check, for an agent that was chosen by one half."""
    shares = accuracy.test if was_chosen else accuracy

    def share(value: float) -> str:
        return f"{round(value * shares.positions):,} of {shares.positions:,} ({value:.2%})"

    right = shares.criterion
    table.add_row(f"{right}, network alone", share(shares.network))
    table.add_row(f"{right}, {simulations} simulations", share(shares.search))
    if shares.has_actions:
        table.add_row("optimal, uniform random play", f"{shares.random:.2%}")
        table.add_row("where the choice matters", f"{shares.choice_matters:.2%} of these positions")
    else:
        table.add_row("the commonest value", f"that of {shares.random:.2%} of these positions")
    if accuracy.exploitability is not None:
        table.add_row("exploitability", f"{accuracy.exploitability:g}")
    for seat, lines in zip(("first", "second"), accuracy.lines or (), strict=False):
        table.add_row(f"lines lost, moving {seat}", f"{lines.lost:,} of {lines.total:,}")


def describe_forfeits(names: Sequence[str], result: MatchResult) -> list[str]:
    """Returns a line for each player that has lost games of a match by an error of its engine."""
    players = zip(names, result.forfeits, strict=True)
    return [f"{name} lost {count(n, 'game')} by an error of the engine" for name, n in players if n]


def warn(warnings: list[str]) -> None:
    """Prints warnings to standard error."""
    for warning in warnings:
        print(f"azjax: {warning}", file=sys.stderr)


@contextlib.contextmanager
def working(task: str, *, is_quiet: bool = False) -> Iterator[Callable[[str], None]]:
    """Says what long work does, and on a terminal, in a line that goes with it, how far it is.

    Args:
      task: What it does.
      is_quiet: Whether standard output is for programs: then a terminal's standard error is told.

    Yields:
      The function to call with how far it is.
    """
    shown = Console(stderr=True, markup=False, emoji=False) if is_quiet else console
    if shown.is_terminal or not is_quiet:
        shown.print(f"{task}; {COMPILING}", highlight=False, soft_wrap=True)
    text = TextColumn("{task.description}", markup=False)
    columns = SpinnerColumn(), text, TimeElapsedColumn()
    with Progress(
        *columns, console=shown, transient=True, disable=not shown.is_terminal
    ) as progress:
        number = progress.add_task("")
        yield lambda done: progress.update(number, description=done)
