"""Answers: how fast is azjax on an accelerator, and how well does it learn in minutes there?

python experiments/accelerator.py --out experiments/results/accelerator

It benchmarks azjax against Pgx's loop in turn, trains the preset connect_four_gpu for --minutes,
and exports the agent. The folder gets report.md with the results, the hardware and the commands,
speed.json, the run and connect_four.npz. It takes --minutes and the benchmark, which is mostly
compilation. The same command resumes after a stop.
"""

import dataclasses
import json
import os
import pathlib
import shlex
import subprocess
import sys
from typing import Any

from azjax.benchmarks.options import BenchmarkOptions
from azjax.benchmarks.paired_benchmark import KEYS, Numbers, median_and_spread
from azjax.cli.output import console
from azjax.cli.process import exit_with_one_line
from azjax.config.flags import parse_flags
from azjax.evaluation import describe_baseline
from azjax.runs.storage.metrics_log import read_metrics
from azjax.runs.storage.run_description import commits_of, read_description
from azjax.runs.storage.run_folders import is_run
from azjax.support.errors import InputError, RunError, reading_errors
from azjax.support.files.atomic_files import write_text_atomically
from azjax.support.files.bounded_files import read_json
from azjax.support.files.ownership import owned
from azjax.support.plurals import count
from azjax.support.validation import check_above, check_seed

_ROOT = pathlib.Path(__file__).parents[1]


@dataclasses.dataclass(frozen=True)
class AcceleratorOptions:
    """Benchmark azjax against Pgx's loop, train Connect Four, and write a report."""

    out: pathlib.Path = pathlib.Path("accelerator")
    """The folder of the results."""
    games: int = 4096
    """Games played in parallel in the benchmark, and positions per gradient update."""
    channels: int = 128
    """Channels of the benchmark's residual network."""
    blocks: int = 6
    """Residual blocks of that network."""
    simulations: int = 32
    """Simulations per move in the benchmark."""
    moves: int = 8
    """Moves played in each game per iteration of the benchmark."""
    rounds: int = 3
    """How often azjax and the peer run."""
    minutes: float = 6.0
    """Training time in minutes."""
    seed: int = 0
    """Seed of the training."""

    def __post_init__(self):
        """Raises ValueError if a size is out of range."""
        _ = self.benchmark  # raises ValueError
        check_above("minutes", self.minutes, 0)
        check_seed(self.seed)

    @property
    def benchmark(self) -> BenchmarkOptions:
        """The options of the benchmark."""
        return BenchmarkOptions(
            games=self.games,
            batch=self.games,
            moves=self.moves,
            simulations=self.simulations,
            channels=self.channels,
            blocks=self.blocks,
            rounds=self.rounds,
        )


def main(arguments: list[str] | None = None) -> None:
    """Runs every measurement in a separate process, and writes the report."""
    arguments = sys.argv[1:] if arguments is None else arguments
    with exit_with_one_line():
        options = parse_flags(AcceleratorOptions, arguments, "accelerator.py")
        report = options.out / "report.md"
        if report.exists():
            raise InputError(f"{report} exists: choose another folder with --out")
        with owned(options.out):
            _measure(options, report)
        console.print(f"wrote {report}", soft_wrap=True)


def _measure(options: AcceleratorOptions, report: pathlib.Path) -> None:
    run, agent = options.out / "run", options.out / "connect_four.npz"
    timing, training = _timing(options), _training(options, run)
    speed = _speed(timing, options.out / "speed.json")
    _call([*training, "--resume"] if is_run(run) else training)
    agent.unlink(missing_ok=True)
    _call(["-m", "azjax", "export", str(run), "--out", str(agent)])
    write_text_atomically(report, _report(timing, training, speed, run))


def _timing(options: AcceleratorOptions) -> list[str]:
    script, flags = _relative_path("experiments/benchmark.py"), options.benchmark.flags()
    return [script, *flags, "--rounds", str(options.rounds), "--against", "pgx"]


def _training(options: AcceleratorOptions, run: pathlib.Path) -> list[str]:
    minutes, seed = str(options.minutes), str(options.seed)
    flags = ["--minutes", minutes, "--seed", seed, "--truth", "connect_four", "--out", str(run)]
    return ["-m", "azjax", "train", "connect_four_gpu", *flags]


def _relative_path(path: str) -> str:
    """Returns a path of the repository, relative to the working directory."""
    return os.path.relpath(_ROOT / path)


def _speed(timing: list[str], file: pathlib.Path) -> Numbers:
    """Returns the result of the benchmark, from the file if it exists.

    Raises:
      InputError: The file cannot be read, or was measured with other options.
      RunError: The benchmark failed.
    """
    _, *flags = timing  # after the script, whose path depends on the working directory
    again = "; delete it to measure again"
    if not file.exists():
        text = json.dumps({"flags": flags, **json.loads(_call(timing)[-1])}, indent=2)
        write_text_atomically(file, f"{text}\n")
    with reading_errors(file, again):
        speed = read_json(file)
        measured = shlex.join(speed["flags"])
    if measured != shlex.join(flags):
        raise InputError(f"{file} was measured with other options ({measured}){again}")
    return speed


def _call(command: list[str]) -> list[str]:
    """Runs Python with arguments; prints its output, and returns the lines.

    Raises:
      RunError: The command failed.
    """
    console.print(f"python {shlex.join(command)}", soft_wrap=True)
    lines = []
    with subprocess.Popen([sys.executable, *command], stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            print(line, end="", flush=True)
            lines.append(line)
    if process.returncode:
        raise RunError(f"python {shlex.join(command[:3])} ended with code {process.returncode}")
    return lines


def _report(timing: list[str], training: list[str], speed: Numbers, run: pathlib.Path) -> str:
    description, evaluations = read_description(run), _evaluations(run)
    ratios = speed["ratios"]
    speed_rows = "".join(
        f"| {key} | {' | '.join(median_and_spread(values[key]) for values in ratios.values())} |\n"
        for key in KEYS
    )
    training_rows = "".join(
        f"| {row['seconds'] / 60:.1f} | {row['positions']:,} | {row['accuracy_network']:.2%} | "
        f"{row['accuracy_search']:.2%} |\n"
        for row in evaluations
    )
    return f"""# Connect Four on {description["hardware"]}

{description["precision"]}, JAX {description["versions"]["jax"]}, commit {commits_of(description)}.

## Speed: ratio to Pgx's loop, median and range of the rounds

Pgx's loop runs on {count(speed["peer_devices"], "device")}.

| | {" | ".join(ratios)} |
|---|{"---|" * len(ratios)}
{speed_rows}
`python {shlex.join(timing)}`

## Training: accuracy on solved positions

| minutes | positions played | network alone | with search |
|---|---|---|---|
{training_rows}
{_baseline(evaluations)}`python {shlex.join(training)}`
"""


def _baseline(evaluations: list[dict[str, Any]]) -> str:
    """Returns what the accuracies are to be compared with; older runs do not record it."""
    for row in evaluations:
        if "random_accuracy" in row:
            text = describe_baseline(row["random_accuracy"], row["choice_matters"])
            return f"For comparison: {text}.\n\n"
    return ""


def _evaluations(run: pathlib.Path) -> list[dict[str, Any]]:
    return [row for row in read_metrics(run / "metrics.jsonl") if "accuracy_search" in row]


if __name__ == "__main__":
    main()
