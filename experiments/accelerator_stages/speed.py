"""The speed of azjax beside that of Pgx's loop, measured once."""

import json
import pathlib
import shlex

from accelerator_stages import commands
from azjax.benchmarks.options import BenchmarkOptions
from azjax.benchmarks.paired_benchmark import KEYS, Numbers, median_and_spread
from azjax.support.errors import InputError, reading_errors
from azjax.support.files.atomic_files import write_text_atomically
from azjax.support.files.bounded_files import read_json
from azjax.support.plurals import count


def benchmark_command(options: BenchmarkOptions) -> commands.Command:
    """Returns the command that times azjax and Pgx's loop in turn."""
    rounds = ["--rounds", str(options.rounds), "--against", "pgx"]
    return [commands.script("benchmark.py"), *options.flags(), *rounds]


def measure_speed(command: commands.Command, file: pathlib.Path) -> Numbers:
    """Returns the result of the benchmark, from the file if it exists.

    Raises:
      InputError: The file cannot be read, or was measured with other options.
      RunError: The benchmark failed.
    """
    _, *flags = command  # after the script, whose path depends on the working directory
    again = "; delete it to measure again"
    if not file.exists():
        result = json.loads(commands.call(command)[-1])
        write_text_atomically(file, f"{json.dumps({'flags': flags, **result}, indent=2)}\n")
    with reading_errors(file, again):
        speed = read_json(file)
        measured = shlex.join(speed["flags"])
    if measured != shlex.join(flags):
        raise InputError(f"{file} was measured with other options ({measured}){again}")
    return speed


def describe_speed(command: commands.Command, speed: Numbers) -> str:
    """Returns the section of the report."""
    ratios = speed["ratios"]
    rows = "".join(
        f"| {key} | {' | '.join(median_and_spread(values[key]) for values in ratios.values())} |\n"
        for key in KEYS
    )
    return f"""## Speed: ratio to Pgx's loop, median and range of the rounds

Pgx's loop runs on {count(speed["peer_devices"], "device")}.

| | {" | ".join(ratios)} |
|---|{"---|" * len(ratios)}
{rows}
`{commands.quote(command)}`
"""
