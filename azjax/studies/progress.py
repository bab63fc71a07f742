"""The progress of a study's measurements: a line at each tenth."""

from collections.abc import Callable

from rich.console import Console


def counted_steps(
    console: Console, name: str, total: int, completed: int = 0
) -> Callable[[], None]:
    """Returns the function to call after each step of a task that takes minutes.

    Args:
      console: Where the progress is printed.
      name: The task.
      total: Its steps.
      completed: Steps of earlier sessions.
    """
    done = completed

    def print_count() -> None:
        console.print(f"{name}: {done} of {total}", highlight=False, soft_wrap=True)

    def advance() -> None:
        nonlocal done
        done += 1
        if 10 * done // total > 10 * (done - 1) // total:
            print_count()

    if done < total:
        print_count()
    return advance
