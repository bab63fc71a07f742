"""Answers: what does each preset reach in its own length on this machine?

python experiments/measure_presets.py --presets hex_5 othello_6 --out runs/presets

It trains each of --presets, the shortest first, and measures the agent: on solved positions, by
matches against GNU Go, Pachi, gtp-rhino or UCT, each with random play for comparison, and against
perfect play of Connect Four. An opponent that is not installed is left out. The folder gets
report.md with the results, the hardware and the commands, after each preset anew, and a folder for
each preset with its run and agent.npz. The same command goes on after a stop, and measures what was
left out.
"""

import dataclasses
import functools
import json
import pathlib
import sys
from typing import Any

from engineering import commands
from engineering.measurements import Measurement, measurements_of

from azjax.cli.output import console
from azjax.cli.process import exit_with_one_line
from azjax.config.flags import parse_flags
from azjax.config.limits import Limits
from azjax.config.preset_file import folder_name
from azjax.config.presets import find_preset, preset_names
from azjax.evaluation import describe_baseline
from azjax.runs.storage.metrics_log import read_metrics
from azjax.runs.storage.run_description import commits_of, read_description
from azjax.runs.storage.run_folders import is_run
from azjax.support.errors import input_errors, reading_errors
from azjax.support.files.atomic_files import write_text_atomically
from azjax.support.files.ownership import owned
from azjax.support.files.reading import read_json
from azjax.support.files.tables import markdown_table
from azjax.support.validation import check_above, check_seed

_MOST_MINUTES = 60  # of the presets that are measured where none are named


@dataclasses.dataclass(frozen=True)
class Options:
    """Train presets, measure their agents, and write a report."""

    out: pathlib.Path = pathlib.Path("runs/presets")
    """The folder of the results."""
    presets: tuple[str, ...] = ()
    """Presets by their names or TOML files; if none is given, those of at most an hour that are not
    made for a GPU."""
    minutes: float | None = None
    """Training time of each agent in minutes. If not given: its preset's."""
    seed: int = 0
    """Seed of the training."""

    def __post_init__(self):
        """Raises ValueError if a number is out of range, or a preset is given twice."""
        if self.minutes is not None:
            check_above("minutes", self.minutes, 0)
        if len(set(map(folder_name, self.presets))) < len(self.presets):
            raise ValueError(f"presets={' '.join(self.presets)}: give each name once")
        check_seed(self.seed)


def main(arguments: list[str] | None = None) -> None:
    """Trains and measures preset by preset, each command in a process of its own."""
    arguments = sys.argv[1:] if arguments is None else arguments
    with exit_with_one_line():
        options = parse_flags(Options, arguments, "measure_presets.py")
        with input_errors():
            agents = _agents(options)
        _announce_missing(agents)
        report = options.out / "report.md"
        with owned(options.out):
            results: dict[TrainedAgent, dict[str, str]] = {}
            for agent in agents:
                agent.train()
                results[agent] = agent.measure()
                write_text_atomically(report, _describe(results))
        console.print(f"wrote {report}", soft_wrap=True)


@dataclasses.dataclass(frozen=True)
class TrainedAgent:
    """An agent of a preset: its run and its file are in a folder of its own."""

    name: str  # of the preset
    game: str
    folder: pathlib.Path
    limits: Limits  # of training
    seed: int

    @property
    def run(self) -> pathlib.Path:
        """The folder of the run."""
        return self.folder / "run"

    @property
    def file(self) -> pathlib.Path:
        """The agent file."""
        return self.folder / "agent.npz"

    @property
    def training(self) -> commands.Command:
        """The command that trains it."""
        limits = dataclasses.asdict(self.limits).items()
        lengths = [x for unit, n in limits if n is not None for x in (f"--{unit}", str(n))]
        flags = [*lengths, "--seed", str(self.seed), "--out", str(self.run)]
        return ["-m", "azjax", "train", self.name, *flags]

    @functools.cached_property  # to find the truth of a game may be to solve it
    def measurements(self) -> list[Measurement]:
        """What is measured of it, by its game."""
        return measurements_of(self.game, self.file)

    def train(self) -> None:
        """Trains, or goes on with the run, and writes the agent file."""
        commands.call([*self.training, "--resume"] if is_run(self.run) else self.training)
        self.file.unlink(missing_ok=True)
        commands.call(["-m", "azjax", "export", str(self.run), "--out", str(self.file)])

    def measure(self) -> dict[str, str]:
        """Returns the results by title; they are kept in the run's folder, by its iteration.

        Where an opponent is not installed, the result says so, and is not kept.

        Raises:
          InputError: The file of results cannot be read.
        """
        file = self.run / f"measurements_{self.rows()[-1]['iteration']}.json"
        results: dict[str, str] = {}
        if file.exists():
            with reading_errors(file, "; delete it to measure again"):
                results = {str(title): str(result) for title, result in read_json(file).items()}
        for each in self.measurements:
            if each.title not in results and not each.what_is_missing:
                results[each.title] = each.read(commands.call(each.command))
                write_text_atomically(file, f"{json.dumps(results, indent=2)}\n")
        missing = {x.title: f"not measured: {x.what_is_missing}" for x in self.measurements}
        return missing | results

    def rows(self) -> list[dict[str, Any]]:
        """Returns the metrics of the run, a row for each iteration."""
        return read_metrics(self.run / "metrics.jsonl")


def _agents(options: Options) -> list[TrainedAgent]:
    agents = []
    for preset in options.presets or _short_presets():
        config, limits, _ = find_preset(preset)
        if options.minutes is not None:
            limits = Limits(options.minutes)
        folder = options.out / folder_name(preset)
        agents.append(TrainedAgent(preset, config.train.game, folder, limits, options.seed))
    return sorted(agents, key=lambda agent: agent.limits.minutes or 0)


def _short_presets() -> list[str]:
    minutes = {name: find_preset(name).limits.minutes or 0 for name in preset_names()}
    return [name for name, n in minutes.items() if n <= _MOST_MINUTES and not name.endswith("_gpu")]


def _announce_missing(agents: list[TrainedAgent]) -> None:
    for agent in agents:
        for measurement in agent.measurements:
            if measurement.what_is_missing:
                left_out = f"{agent.name}: {measurement.title} is left out"
                console.print(f"{left_out}: {measurement.what_is_missing}", soft_wrap=True)


def _describe(results: dict[TrainedAgent, dict[str, str]]) -> str:
    """Returns the report: a table of all results, then a section for each agent."""
    description = read_description(next(iter(results)).run)
    hardware, versions = description["hardware"], description["versions"]
    rows = [
        [agent.name, _length(agent), title, result]
        for agent, of_agent in results.items()
        for title, result in of_agent.items()
    ]
    table = markdown_table(["preset", "trained", "measured", "result"], rows)
    sections = (_describe_agent(agent, results[agent]) for agent in results)
    return "\n".join(
        [f"# Presets of azjax on {hardware}\n\nJAX {versions['jax']}.\n\n{table}\n", *sections]
    )


def _length(agent: TrainedAgent) -> str:
    last = agent.rows()[-1]
    return f"{last['seconds'] / 60:.1f} minutes, {last['positions']:,} positions"


def _describe_agent(agent: TrainedAgent, results: dict[str, str]) -> str:
    description = read_description(agent.run)
    measured = [
        [each.title, results[each.title], f"`{commands.quote(each.command)}`"]
        for each in agent.measurements
    ]
    return f"""## {agent.name}

{description["precision"]}, commit {commits_of(description)}. `{commands.quote(agent.training)}`

{markdown_table(["measured", "result", "command"], measured)}

![learning curves]({agent.folder.name}/run/curves.png)

{_describe_evaluations([row for row in agent.rows() if "accuracy_search" in row])}"""


def _describe_evaluations(rows: list[dict[str, Any]]) -> str:
    """Returns a table of the accuracy over time; nothing for a game without solved positions."""
    if not rows:
        return ""
    header = ["minutes", "positions played", "network alone", "with search"]
    lines = [
        [
            f"{row['seconds'] / 60:.1f}",
            f"{row['positions']:,}",
            f"{row['accuracy_network']:.2%}",
            f"{row['accuracy_search']:.2%}",
        ]
        for row in rows
    ]
    baseline = describe_baseline(rows[0]["random_accuracy"], rows[0]["choice_matters"])
    return f"{markdown_table(header, lines)}\n\nFor comparison: {baseline}.\n"


if __name__ == "__main__":
    main()
