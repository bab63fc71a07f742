"""An agent that a preset trains on this machine, and how strong it is."""

import dataclasses
import importlib.util
import json
import pathlib
import shutil
from collections.abc import Callable
from typing import Any, NamedTuple

import scipy.stats

from azjax.config.limits import Limits
from azjax.evaluation import describe_baseline
from azjax.runs.storage.metrics_log import read_metrics
from azjax.runs.storage.run_description import commits_of, read_description
from azjax.runs.storage.run_folders import is_run
from azjax.support.errors import reading_errors
from azjax.support.files.atomic_files import write_text_atomically
from azjax.support.files.reading import read_json
from azjax.support.files.tables import markdown_table
from azjax.support.plurals import count
from engineering import commands

_GNU_GO = (
    "gnugo --mode gtp --level 10 --chinese-rules --capture-all-dead --play-out-aftermath "
    "--positional-superko"
)
_RHINO = "gtp-rhino -l 3 -b 0"
_GAMES, _SIMULATIONS = 100, 512  # of matches
_ACCURACY_SIMULATIONS = 64


class Measurement(NamedTuple):
    """What is measured of an agent, and the command that does it."""

    title: str
    command: commands.Command
    read: Callable[[list[str]], str]  # from the lines of the output
    needs: str | None = None  # a program, or a module of Python

    @property
    def what_is_missing(self) -> str:
        """What is needed and not installed; empty where all is there."""
        return "" if _is_installed(self.needs) else f"there is no {self.needs}"


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
        """What is measured of it, by its game."""
        match self.game:
            case "connect_four":
                files = ("connect_four", "connect_four_strong_play")
                return [*(_accuracy(self.file, file) for file in files), _perfect_play(self.file)]
            case _ if self.game.startswith("go_"):
                return [_match(self.file, "GNU Go, level 10", f"gtp:{_GNU_GO}", needs="gnugo")]
            case "othello":
                opponent, openings = f"gtp:{_RHINO}", ["--opening-moves", "4"]
                name = "gtp-rhino, level 3"
                return [_match(self.file, name, opponent, openings, needs="gtp-rhino")]
        return [_match(self.file, "UCT with 10,000 random rollouts", "mcts:simulations=10000")]

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
        file = self.run / f"measurements_{self._rows()[-1]['iteration']}.json"
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


def _is_installed(name: str | None) -> bool:
    if name is None or shutil.which(name) is not None:
        return True
    return importlib.util.find_spec(name) is not None


def _accuracy(agent: pathlib.Path, file: str) -> Measurement:
    flags = ["--simulations", str(_ACCURACY_SIMULATIONS), "--truth", file, "--json"]
    title = f"optimal moves on {file}, {_ACCURACY_SIMULATIONS} simulations"
    return Measurement(title, ["-m", "azjax", "accuracy", str(agent), *flags], _read_accuracy)


def _perfect_play(agent: pathlib.Path) -> Measurement:
    command = [commands.script("perfect_play.py"), f"{agent}:simulations={_SIMULATIONS}"]
    title = f"games against perfect play, {_SIMULATIONS} simulations"
    return Measurement(title, command, _read_perfect_play, needs="bitbully")


def _match(
    agent: pathlib.Path,
    name: str,
    opponent: str,
    flags: commands.Command | None = None,
    needs: str | None = None,
) -> Measurement:
    player = f"{agent}:simulations={_SIMULATIONS}"
    match = ["evaluate", player, "--opponent", opponent, "--games", str(_GAMES)]
    if needs is not None:  # one error of an engine would end all measurements
        match += ["--on-engine-error", "forfeit"]
    title = f"score against {name}, {_SIMULATIONS} simulations"
    return Measurement(title, ["-m", "azjax", *match, *(flags or []), "--json"], _read_match, needs)


def _read_accuracy(lines: list[str]) -> str:
    found = json.loads(lines[-1])
    search, network = (_share(found[name], found["positions"]) for name in ("search", "network"))
    return f"{search}; the network alone {network}, random play {found['random']:.1%}"


def _share(share: float, number: int) -> str:
    """Returns a share of positions with its 95% interval, which is Wilson's."""
    test = scipy.stats.binomtest(round(share * number), number)
    low, high = test.proportion_ci(method="wilson")
    return f"{share:.1%} ({low:.1%} to {high:.1%})"


def _read_perfect_play(lines: list[str]) -> str:
    return "; ".join(line.strip() for line in lines[-2:])


def _read_match(lines: list[str]) -> str:
    found = json.loads(lines[-1])
    low, high = found["interval"]
    wins, draws = count(found["wins"], "win"), count(found["draws"], "draw")
    games = f"{wins}, {draws}, {count(found['losses'], 'loss')}"
    forfeits = found["forfeits"]["opponent"]
    by_error = f", {count(forfeits, 'win')} of them by an error of the engine" if forfeits else ""
    return f"{found['score']:.1%} ({low:.1%} to {high:.1%}): {games}{by_error}"


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
