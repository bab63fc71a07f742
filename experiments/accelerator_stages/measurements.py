"""How strong an agent is: solved positions, and matches against independent opponents."""

import importlib.util
import json
import pathlib
import shutil
from collections.abc import Callable
from typing import NamedTuple

from accelerator_stages import commands
from azjax.evaluation import wilson_interval
from azjax.support.errors import reading_errors
from azjax.support.files.atomic_files import write_text_atomically
from azjax.support.files.bounded_files import read_json
from azjax.support.plurals import count

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


def measurements_of(game: str, agent: pathlib.Path) -> list[Measurement]:
    """Returns the measurements of an agent file, by the name of its game."""
    match game:
        case "connect_four":
            files = ("connect_four", "connect_four_strong_play")
            return [*(_accuracy(agent, file) for file in files), _perfect_play(agent)]
        case _ if game.startswith("go_"):
            return [_match(agent, "GNU Go, level 10", f"gtp:{_GNU_GO}", needs="gnugo")]
        case "othello":
            opponent = f"gtp:{_RHINO}"
            openings = ["--opening-moves", "4"]
            return [_match(agent, "gtp-rhino, level 3", opponent, openings, needs="gtp-rhino")]
    return [_match(agent, "UCT with 10,000 random rollouts", "mcts:simulations=10000")]


def measure(measurements: list[Measurement], file: pathlib.Path) -> dict[str, str]:
    """Returns the results by title: those in the file, and others, which are added to it.

    Where an opponent is not installed, the result says so, and is not added.

    Raises:
      InputError: The file cannot be read.
      RunError: A measurement failed.
    """
    results: dict[str, str] = {}
    if file.exists():
        with reading_errors(file, "; delete it to measure again"):
            results = {str(title): str(result) for title, result in read_json(file).items()}
    for title, command, read, _ in (x for x in measurements if not x.what_is_missing):
        if title not in results:
            results[title] = read(commands.call(command))
            write_text_atomically(file, f"{json.dumps(results, indent=2)}\n")
    return {x.title: f"not measured: {x.what_is_missing}" for x in measurements} | results


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
    command = ["-m", "azjax", *match, *(flags or []), "--json"]
    return Measurement(title, command, _read_match, needs)


def _read_accuracy(lines: list[str]) -> str:
    found = json.loads(lines[-1])
    return (
        f"{_share(found['search'], found['positions'])}; the network alone "
        f"{_share(found['network'], found['positions'])}, random play {found['random']:.1%}"
    )


def _share(share: float, number: int) -> str:
    """Returns a share of positions with its 95% interval, which is Wilson's."""
    low, high = wilson_interval(round(share * number), number)
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
