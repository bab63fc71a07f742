"""The progress of a study's measurements: a bar on a terminal, a line at each tenth elsewhere."""

import contextlib
from collections.abc import Callable, Iterator

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)


@contextlib.contextmanager
def counted_steps(
    console: Console, name: str, total: int, completed: int = 0
) -> Iterator[Callable[[], None]]:
    """Yields the function to call after each step of a task that takes minutes.

    Args:
      console: Where the progress is printed.
      name: The task.
      total: Its steps.
      completed: Steps of earlier sessions.
    """
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=20),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
    done = completed

    def print_count() -> None:
        console.print(f"{name}: {done} of {total}", highlight=False, soft_wrap=True)

    def advance() -> None:
        nonlocal done
        done += 1
        bar.advance(task)
        is_tenth = 10 * done // total > 10 * (done - 1) // total
        if done == total or (is_tenth and not console.is_terminal):
            print_count()

    print_count()
    with bar:
        task = bar.add_task(name, total=total, completed=completed)
        yield advance
