"""Answers: which hyperparameters are better than a preset's?

python experiments/sweep.py --preset tic_tac_toe --trials 64 --minutes 20

It writes best.toml (the best configuration as a preset), trials.csv, figures and report.md to
sweeps/PRESET, and takes --minutes at most, on each worker. The same command resumes a stopped
sweep; run on several machines with one --storage, it adds workers. Train the result with
`azjax train sweeps/tic_tac_toe/best.toml`.
"""

import shlex
import sys

from rich.table import Table

from azjax.cli.output import console, fits, make_table
from azjax.cli.process import exit_with_one_line, go_on_without_output, prepare_jax
from azjax.config.flags import parse_flags
from azjax.support.files.tables import Row
from azjax.support.plurals import count
from azjax.support.signals import INTERRUPTED
from azjax.support.slurm_job import submit_this_script

try:
    from azjax.sweeps.report import best_trial_text, compare_with_preset
    from azjax.sweeps.run_sweep import SweepOptions, SweepOutcome, run_sweep, sweep_folder
    from azjax.sweeps.storage import without_password
    from azjax.sweeps.trial_rows import best_rows, format_cell
except ModuleNotFoundError as error:
    print(f"azjax: error: {error}: pip install '.[experiments]'", file=sys.stderr)
    sys.exit(2)

_SCRIPT = "python experiments/sweep.py"
_NUM_SHOWN = 5


def main(arguments: list[str] | None = None) -> None:
    """Runs one worker, and prints the best trials of all workers."""
    arguments = sys.argv[1:] if arguments is None else arguments
    with exit_with_one_line():
        prepare_jax()
        go_on_without_output()
        options = parse_flags(SweepOptions, arguments, _SCRIPT, takes_plugins=True)
        command = f"{_SCRIPT} {shlex.join(arguments)}"
        if options.storage:
            command = command.replace(options.storage, without_password(options.storage))
        if options.slurm is not None:
            console.print(submit_this_script(options.slurm, sweep_folder(options)), soft_wrap=True)
            return
        outcome = run_sweep(options, command, console)
        _print_best(outcome)
        if outcome.num_finished < options.trials:
            done = f"{outcome.num_finished} of {options.trials} trials are done"
            console.print(f"{done}. Continue with: {command}", soft_wrap=True)
        if outcome.was_interrupted:
            sys.exit(INTERRUPTED)


def _print_best(outcome: SweepOutcome) -> None:
    """Prints a table of the best trials, and what the best one gains."""
    rows = best_rows(outcome.sweep, outcome.trials)[:_NUM_SHOWN]
    if not rows:
        console.print("No trial is complete yet. --minutes counts compilation, too.")
        return
    best_text = best_trial_text(outcome.sweep, outcome.trials)
    comparison = compare_with_preset(outcome.sweep, outcome.preset, outcome.trials)
    console.print(_best_table(outcome.num_finished, rows))
    console.print(f"{best_text} {comparison}", highlight=False, soft_wrap=True)
    console.print(f"Train the best: azjax train {shlex.quote(str(outcome.folder / 'best.toml'))}")
    console.print(f"Report: {outcome.folder / 'report.md'}")


def _best_table(num_finished: int, rows: list[Row]) -> Table:
    """Returns a table with a column for each trial, of as many of the best as fit."""
    title = f"the best {len(rows)} of {count(num_finished, 'trial')}"
    table = make_table(title, *(f"trial {row['trial']}" for row in rows))
    for name in rows[0]:
        if name != "trial":
            table.add_row(name, *(format_cell(row[name]) for row in rows))
    return table if len(rows) == 1 or fits(table) else _best_table(num_finished, rows[:-1])


if __name__ == "__main__":
    main()
