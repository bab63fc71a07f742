"""The progress of a study's measurements: a line at each tenth."""

from collections.abc import Callable

from rich.console import Console


def counted_steps(console: Console, name: str, total: int, done: int = 0) -> Callable[[], None]:
    """Returns the function to call after each of the steps of a task, of which some are done."""

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
