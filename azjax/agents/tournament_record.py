"""The record of a tournament: its conditions, its matches as they end, standings and a figure."""

import json
import pathlib
import textwrap
from typing import TYPE_CHECKING, Any

from azjax.agents.match_log import append_match, describe_match, read_matches
from azjax.agents.player_spec import NamedPlayer
from azjax.evaluation import Match, Rating, Standings
from azjax.support.errors import InputError, reading_errors
from azjax.support.figures import write_figure
from azjax.support.files.atomic_files import write_text_atomically
from azjax.support.files.bounded_files import read_json
from azjax.support.provenance.commit import package_commit

if TYPE_CHECKING:  # importing matplotlib takes longer than --help should
    from matplotlib.axes import Axes

_FILE = "tournament.json"
_MATCHES = "matches.jsonl"
_FIGURE = "ratings.png"
FILES = (_FILE, _MATCHES, _FIGURE)
_LABEL_WIDTH = 36  # characters of a player's name in a line of the figure
_LINE_HEIGHT = 0.25  # inches of such a line


class TournamentRecord:
    """The folder of a tournament, which the same tournament of a later session continues."""

    def __init__(self, path: pathlib.Path, players: list[NamedPlayer], conditions: dict[str, Any]):
        """Takes a folder, which need not exist.

        Args:
          path: The folder.
          players: All players, in their order.
          conditions: The game and the settings of the tournament, in JSON.
        """
        self._path, self._players = path, players
        self._names = [player.name for player in players]
        self._conditions = conditions

    def check(self) -> None:
        """Raises InputError if the folder holds another tournament, or one that is damaged."""
        file = self._path / _FILE
        if not file.exists():
            if (self._path / _MATCHES).exists():
                raise InputError(
                    f"{self._path} holds {_MATCHES} without {_FILE}: choose another folder with "
                    "--out"
                )
            return
        with reading_errors(file):
            recorded = read_json(file)
            there = {name: recorded.get(name) for name in self._conditions}
            iterations = {p["name"]: p["iteration"] for p in recorded["players"]}
        here = self._conditions | {"players": self._names}
        _refuse_difference(self._path, there | {"players": list(iterations)}, here)
        own = {player.name: player.iteration for player in self._players}
        _refuse_difference(
            self._path,
            {f"the iteration of {name}": i for name, i in iterations.items()},
            {f"the iteration of {name}": i for name, i in own.items()},
        )
        read_matches(self._path / _MATCHES, self._names)

    def begin(self) -> list[Match]:
        """Records the conditions; returns the matches that earlier sessions have played."""
        played = read_matches(self._path / _MATCHES, self._names)
        if not (self._path / _FILE).exists():
            self._write({**self._describe(), "players": list(map(_describe_player, self._players))})
        return played

    def append(self, match: Match) -> None:
        """Records a match that has ended."""
        append_match(self._path / _MATCHES, self._names, match)

    def write_standings(self, standings: Standings, *, over_iterations: bool) -> None:
        """Writes the JSON file and the figure.

        Args:
          standings: The result of the tournament.
          over_iterations: Whether to plot ratings over iterations, instead of by player.
        """
        rated = zip(self._players, standings.ratings, standings.scores, strict=True)
        players = [
            {
                **_describe_player(player),
                "elo": rating.elo,
                "interval": rating.interval,
                "score": score,
            }
            for player, rating, score in rated
        ]
        matches = [describe_match(self._names, match) for match in standings.matches]
        self._write({**self._describe(), "players": players, "matches": matches})
        figure = self._path / _FIGURE
        _plot(figure, self._players, standings, over_iterations=over_iterations)

    def _describe(self) -> dict[str, Any]:
        return {**self._conditions, "commit": package_commit()}

    def _write(self, description: dict[str, Any]) -> None:
        write_text_atomically(self._path / _FILE, json.dumps(description, indent=2) + "\n")


def _describe_player(player: NamedPlayer) -> dict[str, Any]:
    return {"name": player.name, "iteration": player.iteration}


def _refuse_difference(path: pathlib.Path, there: dict[str, Any], here: dict[str, Any]) -> None:
    """Raises InputError that names the first difference."""
    for name, value in here.items():
        if there[name] != value:
            raise InputError(
                f"{path} holds another tournament: {name} was {json.dumps(there[name])}, is "
                f"{json.dumps(value)}; give the options that it was started with, or choose "
                "another folder with --out"
            )


def _plot(
    path: pathlib.Path, players: list[NamedPlayer], standings: Standings, *, over_iterations: bool
) -> None:
    from matplotlib.figure import Figure

    rated = list(zip(players, standings.ratings, strict=True))
    lines = sum(_label(player).count("\n") + 1 for player in players)
    height = 4.0 if over_iterations else max(4.0, _LINE_HEIGHT * lines)
    figure = Figure(figsize=(6.4, height), layout="constrained")
    axes = figure.subplots()
    if over_iterations:
        _plot_over_iterations(axes, rated)
    else:
        _plot_in_order(axes, rated)
    axes.grid(alpha=0.3)
    write_figure(figure, path, dpi=120)


def _plot_over_iterations(axes: "Axes", rated: list[tuple[NamedPlayer, Rating]]) -> None:
    by_iteration = {
        player.iteration: rating for player, rating in rated if player.iteration is not None
    }
    iterations = sorted(by_iteration)
    elo, errors = _with_errors([by_iteration[iteration] for iteration in iterations])
    axes.errorbar(iterations, elo, yerr=errors, marker="o", capsize=3)
    axes.set(xlabel="iteration", ylabel="Elo above random")


def _plot_in_order(axes: "Axes", rated: list[tuple[NamedPlayer, Rating]]) -> None:
    rated = sorted(rated, key=lambda pair: pair[1].elo)
    elo, errors = _with_errors([rating for _, rating in rated])
    axes.errorbar(elo, range(len(rated)), xerr=errors, fmt="o", capsize=3)
    axes.set(xlabel="Elo above random", yticks=range(len(rated)))
    axes.set_yticklabels([_label(player) for player, _ in rated], parse_math=False)


def _label(player: NamedPlayer) -> str:
    return textwrap.fill(player.name, _LABEL_WIDTH)


def _with_errors(ratings: list[Rating]) -> tuple[list[float], list[list[float]]]:
    """Returns Elo, and the lengths of the error bars below and above."""
    below = [max(0.0, elo - interval.low) for elo, interval in ratings]
    above = [max(0.0, interval.high - elo) for elo, interval in ratings]
    return [elo for elo, _ in ratings], [below, above]
