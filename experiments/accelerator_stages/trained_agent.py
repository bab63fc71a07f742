"""An agent that a preset trains on this machine."""

import dataclasses
import pathlib
from typing import Any

from accelerator_stages import commands
from accelerator_stages.measurements import Measurement, measure, measurements_of
from azjax.config.limits import Limits
from azjax.evaluation import describe_baseline
from azjax.runs.storage.metrics_log import read_metrics
from azjax.runs.storage.run_description import commits_of, read_description
from azjax.runs.storage.run_folders import is_run
from azjax.support.files.tables import markdown_table


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

    @property
    def measurements(self) -> list[Measurement]:
        """What is measured of it."""
        return measurements_of(self.game, self.file)

    def train(self) -> None:
        """Trains, or goes on with the run, and writes the agent file.

        Raises:
          RunError: It failed.
        """
        commands.call([*self.training, "--resume"] if is_run(self.run) else self.training)
        self.file.unlink(missing_ok=True)
        commands.call(["-m", "azjax", "export", str(self.run), "--out", str(self.file)])

    def measure(self) -> dict[str, str]:
        """Returns the results by title; those of this network in the run's folder are kept.

        Raises:
          InputError: The file of results cannot be read.
          RunError: A measurement failed.
        """
        iteration = self._rows()[-1]["iteration"]
        return measure(self.measurements, self.run / f"measurements_{iteration}.json")

    def describe(self, results: dict[str, str]) -> str:
        """Returns the section of the report, given the results by title."""
        description, rows = read_description(self.run), self._rows()
        last = rows[-1]
        length = f"{last['seconds'] / 60:.1f} minutes, {last['positions']:,} positions"
        measured = [
            [x.title, results[x.title], f"`{commands.quote(x.command)}`"] for x in self.measurements
        ]
        return f"""## {self.name}: {length}

{description["precision"]}, commit {commits_of(description)}. `{commands.quote(self.training)}`

{markdown_table(["measured", "result", "command"], measured)}

![learning curves]({self.folder.name}/run/curves.png)

{_describe_evaluations([row for row in rows if "accuracy_search" in row])}"""

    def _rows(self) -> list[dict[str, Any]]:
        return read_metrics(self.run / "metrics.jsonl")


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
    first = rows[0]
    baseline = describe_baseline(first["random_accuracy"], first["choice_matters"])
    return f"{markdown_table(header, lines)}\n\nFor comparison: {baseline}.\n"
