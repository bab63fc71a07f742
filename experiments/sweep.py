"""Searches for better hyperparameters than a preset's.

python experiments/sweep.py --preset tic_tac_toe --trials 64 --minutes 20

The same command goes on with a sweep that was stopped; run elsewhere at the same time with one
`--storage`, it is a worker more. `azjax train sweeps/tic_tac_toe/best.toml` trains what it found.
"""

import shlex
import sys

from azjax.cli.output import console, make_table
from azjax.cli.process import exit_with_one_line, prepare_jax
from azjax.config.flags import parse_flags

try:
    from azjax.sweeps.options import SweepOptions
    from azjax.sweeps.results import best_rows, show_value
    from azjax.sweeps.run_sweep import Ended, run_session
    from azjax.sweeps.storage import without_password
except ModuleNotFoundError as error:
    sys.exit(f"azjax: error: {error}: pip install '.[experiments]'")

_SCRIPT = "python experiments/sweep.py"
_NUM_SHOWN = 5


def main(arguments: list[str] | None = None) -> None:
    """Runs one worker, and prints what all workers have found so far."""
    arguments = sys.argv[1:] if arguments is None else arguments
    with exit_with_one_line():
        options = parse_flags(SweepOptions, arguments, _SCRIPT)
        prepare_jax()
        command = f"{_SCRIPT} {shlex.join(arguments)}"
        if options.storage:
            command = command.replace(options.storage, without_password(options.storage))
        ended = run_session(options, command, console)
        _print_best(ended)
        if ended.num_finished < options.trials:
            done = f"{ended.num_finished} of {options.trials} trials are done"
            console.print(f"{done}. Go on with: {command}", soft_wrap=True)


def _print_best(ended: Ended) -> None:
    """Prints a column for each of the best trials."""
    rows = best_rows(ended.sweep, ended.trials)[:_NUM_SHOWN]
    if not rows:
        console.print("No trial has come to its end yet.")
        return
    columns = [f"trial {row.pop('trial')}" for row in rows]
    table = make_table(f"the best of {ended.num_finished} trials", *columns)
    for name in rows[0]:
        table.add_row(name, *(show_value(row[name]) for row in rows))
    console.print(table)
    console.print(f"Train the best: azjax train {shlex.quote(str(ended.folder / 'best.toml'))}")
    console.print(f"Report: {ended.folder / 'report.md'}")


if __name__ == "__main__":
    main()
