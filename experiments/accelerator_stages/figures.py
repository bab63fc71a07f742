"""How strong an agent is: solved positions, and matches against independent opponents."""

import importlib.util
import json
import pathlib
import shutil
from collections.abc import Callable
from typing import NamedTuple

import scipy.stats

from accelerator_stages import commands
from azjax.support.errors import reading_errors
from azjax.support.files.atomic_files import write_text_atomically
from azjax.support.files.bounded_files import read_json

_GNU_GO = "gnugo --mode gtp --chinese-rules --capture-all-dead --play-out-aftermath --level 10"
_RHINO = "gtp-rhino -l 3 -b 0"
_GAMES, _SIMULATIONS = 100, 512  # of matches
_ACCURACY_SIMULATIONS = 64


class Figure(NamedTuple):
    """A figure of an agent, and the command that measures it."""

    title: str
    command: commands.Command
    read: Callable[[list[str]], str]  # from the lines of the output
    needs: str | None = None  # a program, or a module of Python


def figures_of(game: str, agent: pathlib.Path) -> list[Figure]:
    """Returns the figures of an agent file, by the name of its game."""
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


def measure_figures(figures: list[Figure], file: pathlib.Path) -> dict[str, str]:
    """Returns the results by title: those in the file, and others, which are added to it.

    Where an opponent is not installed, the result says so, and is not added.

    Raises:
      InputError: The file cannot be read.
      RunError: A measurement failed.
    """
    results = {}
    if file.exists():
        with reading_errors(file, "; delete it to measure again"):
            results = {str(title): str(result) for title, result in read_json(file).items()}
    for figure in figures:
        if figure.title not in results and _is_installed(figure.needs):
            results[figure.title] = figure.read(commands.call(figure.command))
            write_text_atomically(file, f"{json.dumps(results, indent=2)}\n")
    missing = {figure.title: f"not measured: there is no {figure.needs}" for figure in figures}
    return missing | results


def _is_installed(name: str | None) -> bool:
    if name is None or shutil.which(name) is not None:
        return True
    return importlib.util.find_spec(name) is not None


def _accuracy(agent: pathlib.Path, file: str) -> Figure:
    flags = ["--simulations", str(_ACCURACY_SIMULATIONS), "--truth", file, "--json"]
    title = f"optimal moves on {file}, {_ACCURACY_SIMULATIONS} simulations"
    return Figure(title, ["-m", "azjax", "accuracy", str(agent), *flags], _read_accuracy)


def _perfect_play(agent: pathlib.Path) -> Figure:
    command = [commands.script("perfect_play.py"), f"{agent}:simulations={_SIMULATIONS}"]
    title = f"games against perfect play, {_SIMULATIONS} simulations"
    return Figure(title, command, _read_perfect_play, needs="bitbully")


def _match(
    agent: pathlib.Path,
    name: str,
    opponent: str,
    flags: commands.Command | None = None,
    needs: str | None = None,
) -> Figure:
    player = f"{agent}:simulations={_SIMULATIONS}"
    match = ["evaluate", player, "--opponent", opponent, "--games", str(_GAMES), *(flags or [])]
    title = f"score against {name}, {_SIMULATIONS} simulations"
    return Figure(title, ["-m", "azjax", *match, "--json"], _read_match, needs)


def _read_accuracy(lines: list[str]) -> str:
    found = json.loads(lines[-1])
    return (
        f"{_share(found['search'], found['positions'])}; the network alone "
        f"{_share(found['network'], found['positions'])}, random play {found['random']:.1%}"
    )


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
    counts = f"{found['wins']} wins, {found['draws']} draws, {found['losses']} losses"
    return f"{found['score']:.1%} (95% interval {low:.1%} to {high:.1%}): {counts}"
