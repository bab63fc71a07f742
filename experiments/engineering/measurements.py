"""What is measured of an agent, by its game: accuracy on solved positions, or matches."""

import importlib.util
import json
import pathlib
import shutil
from collections.abc import Callable, Iterator
from typing import NamedTuple

import scipy.stats

from azjax import games
from azjax.evaluation import find_positions
from azjax.support.plurals import count
from engineering import commands

_GNU_GO = (
    "gnugo --mode gtp --level 10 --chinese-rules --capture-all-dead --play-out-aftermath "
    "--positional-superko"
)
_PACHI = "pachi -t =1000 -r chinese -d 0 threads=1,pondering=0,pass_all_alive"
_RHINO = "gtp-rhino -l 3 -b 0"
_GAMES, _SIMULATIONS = 100, 512  # of matches
_ACCURACY_SIMULATIONS = 64
_TRUTH = {"connect_four": ("connect_four", "connect_four_strong_play"), "othello": ("othello_8",)}


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
    """Returns what is measured of an agent file: where there is truth, accuracy, else matches.

    Each result has that of random play beside it.
    """
    measured = [_accuracy(agent, file) for file in _truth_files(game)]
    if game == "connect_four":
        measured.append(_perfect_play(agent))
    if game.startswith("go_"):
        measured += _matches(agent, game, "GNU Go, level 10", f"gtp:{_GNU_GO}", needs="gnugo")
        measured += _matches(agent, game, "Pachi, 1,000 playouts", f"gtp:{_PACHI}", needs="pachi")
    if game == "othello":
        measured += _matches(
            agent,
            game,
            "gtp-rhino, level 3",
            f"gtp:{_RHINO}",
            "--opening-moves",
            "4",
            needs="gtp-rhino",
        )
    uct = ("UCT with 10,000 random rollouts", "mcts:simulations=10000")
    return measured or list(_matches(agent, game, *uct))


def _truth_files(game: str) -> tuple[str | None, ...]:
    """Returns the truth files of a game by name; None is its default."""
    is_known = find_positions(games.make(game)) is not None
    return _TRUTH.get(game, (None,) if is_known else ())


def _is_installed(name: str | None) -> bool:
    if name is None or shutil.which(name) is not None:
        return True
    return importlib.util.find_spec(name) is not None


def _accuracy(agent: pathlib.Path, file: str | None) -> Measurement:
    flags = ["--simulations", str(_ACCURACY_SIMULATIONS), "--json"]
    flags += ["--truth", file] if file else []
    title = f"optimal moves, {_ACCURACY_SIMULATIONS} simulations"
    title = f"{title}, {file}" if file else title
    return Measurement(title, ["-m", "azjax", "accuracy", str(agent), *flags], _read_accuracy)


def _perfect_play(agent: pathlib.Path) -> Measurement:
    command = [commands.script("perfect_play.py"), f"{agent}:simulations={_SIMULATIONS}"]
    title = f"games against perfect play, {_SIMULATIONS} simulations"
    return Measurement(title, command, _read_perfect_play, needs="bitbully")


def _matches(
    agent: pathlib.Path, game: str, name: str, opponent: str, *flags: str, needs: str | None = None
) -> Iterator[Measurement]:
    """Yields the match of the agent against an opponent, and that of random play."""
    for who, player in (
        (f"{_SIMULATIONS} simulations", f"{agent}:simulations={_SIMULATIONS}"),
        ("random play", "random"),
    ):
        match = ["evaluate", player, "--opponent", opponent, "--game", game]
        match += ["--games", str(_GAMES), *flags]
        if needs is not None:  # one error of an engine would end all measurements
            match += ["--on-engine-error", "forfeit"]
        title = f"score against {name}, {who}"
        yield Measurement(title, ["-m", "azjax", *match, "--json"], _read_match, needs)


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
    results = f"{wins}, {draws}, {count(found['losses'], 'loss')}"
    forfeits = found["forfeits"]["opponent"]
    by_error = f", {count(forfeits, 'win')} of them by an error of the engine" if forfeits else ""
    return f"{found['score']:.1%} ({low:.1%} to {high:.1%}): {results}{by_error}"
