"""Answers: how fast is azjax on an accelerator, and how strong do agents become in minutes there?

python experiments/accelerator.py --out experiments/results/accelerator

It benchmarks azjax against Pgx's loop in turn, and trains each of --presets for its minutes. Then
it measures each agent: on solved positions, or by matches against GNU Go, gtp-rhino, UCT or a
perfect player of Connect Four. An opponent that is not installed is left out. The folder gets
report.md with the results, the hardware and the commands, speed.json, and a folder for each preset
with its run and agent.npz. The same command resumes after a stop, and once report.md is deleted it
measures what was left out.
"""

import dataclasses
import json
import pathlib
import shlex
import sys

from benchmarks.options import BenchmarkOptions
from benchmarks.paired import KEYS, Numbers, median_and_spread
from engineering import commands
from engineering.trained_agent import TrainedAgent

from azjax.cli.output import console
from azjax.cli.process import exit_with_one_line
from azjax.config.flags import parse_flags
from azjax.config.limits import Limits
from azjax.config.preset_file import folder_name
from azjax.config.presets import find_preset
from azjax.runs.storage.run_description import read_description
from azjax.support.errors import InputError, input_errors, reading_errors
from azjax.support.files.atomic_files import write_text_atomically
from azjax.support.files.ownership import owned
from azjax.support.files.reading import read_json
from azjax.support.files.tables import markdown_table
from azjax.support.plurals import count
from azjax.support.validation import check_above, check_at_least, check_seed

_PRESETS = ("connect_four_gpu", "go_9_gpu", "quixo_gpu", "gomoku_9_gpu", "othello_gpu")


@dataclasses.dataclass(frozen=True)
class AcceleratorOptions:
    """Benchmark azjax against Pgx's loop, train and measure agents, and write a report."""

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
    presets: tuple[str, ...] = _PRESETS
    """Presets that are trained, by their names or TOML files."""
    minutes: float | None = None
    """Training time of each agent in minutes. If not given: its preset's."""
    seed: int = 0
    """Seed of the training."""

    def __post_init__(self):
        """Raises ValueError if a size is out of range, or a preset is given twice."""
        _ = self.benchmark  # raises ValueError
        if self.minutes is not None:
            check_above("minutes", self.minutes, 0)
        check_at_least("presets", len(self.presets), 1)
        if len(set(map(folder_name, self.presets))) < len(self.presets):
            raise ValueError(f"presets={' '.join(self.presets)}: give each name once")
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
        with input_errors():
            agents = [_agent(options, preset) for preset in options.presets]
        report = options.out / "report.md"
        if report.exists():
            raise InputError(
                f"{report} exists: delete it to measure what was left out, or choose another "
                "folder with --out"
            )
        _announce_missing(agents)
        with owned(options.out):
            _measure(options, agents, report)
        console.print(f"wrote {report}", soft_wrap=True)


def _agent(options: AcceleratorOptions, preset: str) -> TrainedAgent:
    config, limits, _ = find_preset(preset)
    if options.minutes is not None:
        limits = Limits(options.minutes)
    folder = options.out / folder_name(preset)
    return TrainedAgent(preset, config.train.game, folder, limits, options.seed)


def _announce_missing(agents: list[TrainedAgent]) -> None:
    for agent in agents:
        for measurement in agent.measurements:
            if measurement.what_is_missing:
                left_out = f"{agent.name}: {measurement.title} is left out"
                console.print(f"{left_out}: {measurement.what_is_missing}", soft_wrap=True)


def _measure(options: AcceleratorOptions, agents: list[TrainedAgent], report: pathlib.Path) -> None:
    rounds = ["--rounds", str(options.rounds), "--against", "pgx"]
    timing = [commands.script("benchmark.py"), *options.benchmark.flags(), *rounds]
    speed = _measure_speed(timing, options.out / "speed.json")
    for agent in agents:
        agent.train()
    results = [agent.measure() for agent in agents]
    described = [agent.describe(own) for agent, own in zip(agents, results, strict=True)]
    sections = [_describe_speed(timing, speed), *described]
    write_text_atomically(report, "\n".join([_describe_machine(agents[0].run), *sections]))


def _measure_speed(command: commands.Command, file: pathlib.Path) -> Numbers:
    """Returns the result of the benchmark, from the file if it exists.

    Raises:
      InputError: The file cannot be read, or was measured with other options.
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


def _describe_speed(command: commands.Command, speed: Numbers) -> str:
    """Returns the section of the report."""
    ratios = speed["ratios"]
    rows = [[key, *(median_and_spread(each[key]) for each in ratios.values())] for key in KEYS]
    return f"""## Speed: ratio to Pgx's loop, median and range of the rounds

Pgx's loop runs on {count(speed["peer_devices"], "device")}.

{markdown_table(["", *ratios], rows)}

`{commands.quote(command)}`
"""


def _describe_machine(run: pathlib.Path) -> str:
    description = read_description(run)
    hardware, versions = description["hardware"], description["versions"]
    return f"# azjax on {hardware}\n\nJAX {versions['jax']}.\n"


if __name__ == "__main__":
    main()
