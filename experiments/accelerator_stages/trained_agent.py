"""An agent that a preset trains on this machine."""

import dataclasses
import pathlib
from typing import Any

from accelerator_stages import commands
from accelerator_stages.figures import Figure, figures_of, measure_figures
from azjax.config.preset_file import Preset
from azjax.evaluation import describe_baseline
from azjax.runs.storage.metrics_log import read_metrics
from azjax.runs.storage.run_description import commits_of, read_description
from azjax.runs.storage.run_folders import is_run


@dataclasses.dataclass(frozen=True)
class TrainedAgent:
    """An agent of a preset: its run, its file and its figures are in a folder of its own."""

    name: str  # of the preset
    preset: Preset
    folder: pathlib.Path
    minutes: float | None  # of training; None for those of the preset
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
        minutes = [] if self.minutes is None else ["--minutes", str(self.minutes)]
        flags = [*minutes, "--seed", str(self.seed), "--out", str(self.run)]
        return ["-m", "azjax", "train", self.name, *flags]

    @property
    def figures(self) -> list[Figure]:
        """The figures that are measured."""
        return figures_of(self.preset.config.train.game, self.file)

    def train(self) -> None:
        """Trains, or goes on with the run, and writes the agent file.

        Raises:
          RunError: It failed.
        """
        commands.call([*self.training, "--resume"] if is_run(self.run) else self.training)
        self.file.unlink(missing_ok=True)
        commands.call(["-m", "azjax", "export", str(self.run), "--out", str(self.file)])

    def measure(self) -> dict[str, str]:
        """Returns the figures by title; those of this network in the folder are kept.

        Raises:
          InputError: The file of figures cannot be read.
          RunError: A measurement failed.
        """
        iteration = self._rows()[-1]["iteration"]
        return measure_figures(self.figures, self.folder / f"figures_{iteration}.json")

    def describe(self, results: dict[str, str]) -> str:
        """Returns the section of the report, given the figures by title."""
        rows = self._rows()
        last = rows[-1]
        length = f"{last['seconds'] / 60:.1f} minutes, {last['positions']:,} positions"
        figures = "".join(
            f"| {figure.title} | {results[figure.title]} | `{commands.quote(figure.command)}` |\n"
            for figure in self.figures
        )
        return f"""## {self.name}: {length}

Commit {commits_of(read_description(self.run))}. `{commands.quote(self.training)}`

| figure | result | command |
|---|---|---|
{figures}
![learning curves]({self.folder.name}/run/curves.png)

{_describe_evaluations([row for row in rows if "accuracy_search" in row])}"""

    def _rows(self) -> list[dict[str, Any]]:
        return read_metrics(self.run / "metrics.jsonl")


def _describe_evaluations(rows: list[dict[str, Any]]) -> str:
    """Returns a table of the accuracy over time; nothing for a game without solved positions."""
    if not rows:
        return ""
    lines = "".join(
        f"| {row['seconds'] / 60:.1f} | {row['positions']:,} | {row['accuracy_network']:.2%} | "
        f"{row['accuracy_search']:.2%} |\n"
        for row in rows
    )
    first = rows[0]
    baseline = describe_baseline(first["random_accuracy"], first["choice_matters"])
    return f"""| minutes | positions played | network alone | with search |
|---|---|---|---|
{lines}
For comparison: {baseline}.
"""
