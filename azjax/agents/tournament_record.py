"""The record of a tournament: its conditions, its matches as they end, standings and a figure.

The file of matches has a line of JSON for each, which is written when the match has ended.
"""

import json
import pathlib
import textwrap
from collections.abc import Sequence
from typing import Any

import numpy as np

from azjax.agents.player_spec import NamedPlayer
from azjax.evaluation import Match, MatchResult, Rating, Standings
from azjax.support.errors import InputError, reading_errors
from azjax.support.files.atomic_files import write_figure, write_text_atomically
from azjax.support.files.json_lines import append_json_line, read_json_lines
from azjax.support.files.reading import read_json
from azjax.support.provenance.commit import package_commit

RECORD = "tournament.json"
_MATCHES = "matches.jsonl"
_FIGURE = "ratings.png"
FILES = (RECORD, _MATCHES, _FIGURE)
_LABEL_WIDTH = 36  # characters of a player's name in a line of the figure
_LINE_HEIGHT = 0.25  # inches of such a line


def append_match(path: pathlib.Path, names: Sequence[str], match: Match) -> None:
    """Appends a match, which is on disk then."""
    row = _describe_match(names, match) | {"rewards": match.result.rewards.tolist()}
    append_json_line(path, row)


def read_matches(path: pathlib.Path, names: Sequence[str]) -> list[Match]:
    """Returns the matches between players of these names, without an incomplete last line.

    The first player of a match is the one that is named earlier.

    Raises:
      InputError: The file cannot be read, or is damaged.
    """
    indices = {name: index for index, name in enumerate(names)}
    matches = []
    with reading_errors(path):
        for row in read_json_lines(path) if path.exists() else []:
            first, second = indices.get(row["first"]), indices.get(row["second"])
            rewards = np.array(row["rewards"], np.int8)
            by_first, by_second = row.get("forfeits", (0, 0))  # older rows have none
            if first is None or second is None:
                continue
            if first < second:
                result = MatchResult(rewards, forfeits=(by_first, by_second))
                matches.append(Match(first, second, result))
            else:
                result = MatchResult(-rewards[:, ::-1], forfeits=(by_second, by_first))
                matches.append(Match(second, first, result))
    return matches


class TournamentRecord:
    """The folder of a tournament, which the same tournament of a later session continues."""

    def __init__(self, path: pathlib.Path, players: list[NamedPlayer], conditions: dict[str, Any]):
        """Takes a folder, which need not exist, all players, and the game and settings in JSON."""
        self._path, self._players = path, players
        self._names = [player.name for player in players]
        self._conditions = conditions

    def check(self) -> None:
        """Raises InputError if the folder holds another tournament, or one that is damaged."""
        file = self._path / RECORD
        if not file.exists():
            if (self._path / _MATCHES).exists():
                raise InputError(
                    f"{self._path} holds {_MATCHES} without {RECORD}: choose another folder with "
                    "--out"
                )
            return
        with reading_errors(file):
            recorded = read_json(file)
            there = _facts(recorded, {p["name"]: p["iteration"] for p in recorded["players"]})
        here = _facts(self._conditions, {p.name: p.iteration for p in self._players})
        for name, value in here.items():
            if there.get(name) != value:
                raise InputError(
                    f"{self._path} holds another tournament: {name} was "
                    f"{json.dumps(there.get(name))}, is {json.dumps(value)}; give the options that "
                    "it was started with, or choose another folder with --out"
                )
        read_matches(self._path / _MATCHES, self._names)

    def begin(self) -> list[Match]:
        """Records the conditions; returns the matches that earlier sessions have played."""
        played = read_matches(self._path / _MATCHES, self._names)
        if not (self._path / RECORD).exists():
            self._write({**self._describe(), "players": list(map(_describe_player, self._players))})
        return played

    def append(self, match: Match) -> None:
        """Records a match that has ended."""
        append_match(self._path / _MATCHES, self._names, match)

    def write_standings(self, standings: Standings, *, over_iterations: bool) -> None:
        """Writes the JSON file, and a figure of the ratings over iterations or by player."""
        rated = zip(self._players, standings.ratings, standings.scores, strict=True)
        players = [
            {**_describe_player(player), **rating._asdict(), "score": score}
            for player, rating, score in rated
        ]
        matches = [_describe_match(self._names, match) for match in standings.matches]
        self._write({**self._describe(), "players": players, "matches": matches})
        figure = self._path / _FIGURE
        _plot(figure, self._players, standings, over_iterations=over_iterations)

    def _describe(self) -> dict[str, Any]:
        return {**self._conditions, "commit": package_commit()}

    def _write(self, description: dict[str, Any]) -> None:
        write_text_atomically(self._path / RECORD, json.dumps(description, indent=2) + "\n")


def _describe_match(names: Sequence[str], match: Match) -> dict[str, Any]:
    """Returns the summary of a match between players of these names, without its games."""
    first, second, result = match
    columns = ("wins", "draws", "losses", "forfeits", "score", "interval", "probability_stronger")
    return {
        "first": names[first],
        "second": names[second],
        **{name: getattr(result, name) for name in columns},
    }


def _describe_player(player: NamedPlayer) -> dict[str, Any]:
    return {"name": player.name, "iteration": player.iteration}


def _facts(conditions: dict[str, Any], iterations: dict[str, int | None]) -> dict[str, Any]:
    """Returns what must be the same in all sessions, given the iterations of the players."""
    of_players = {f"the iteration of {name}": i for name, i in iterations.items()}
    return conditions | {"players": list(iterations)} | of_players


def _plot(
    path: pathlib.Path, players: list[NamedPlayer], standings: Standings, *, over_iterations: bool
) -> None:
    """Plots a line for each player, in the order of iterations or of ratings."""
    from matplotlib.figure import Figure  # takes longer than --help should

    def order(rated: tuple[NamedPlayer, Rating]) -> float:
        player, rating = rated
        return (player.iteration or 0) if over_iterations else rating.elo

    rated = sorted(zip(players, standings.ratings, strict=True), key=order)
    labels = [textwrap.fill(player.name, _LABEL_WIDTH) for player, _ in rated]
    elo = np.array([rating.elo for _, rating in rated])
    low, high = np.array([rating.interval for _, rating in rated]).T
    height = max(4.0, _LINE_HEIGHT * sum(label.count("\n") + 1 for label in labels))
    figure = Figure(figsize=(6.4, height), layout="constrained")
    axes = figure.subplots()
    errors = np.maximum([elo - low, high - elo], 0)
    axes.errorbar(elo, range(len(rated)), xerr=errors, fmt="o", capsize=3)
    axes.set(xlabel="Elo above random", yticks=range(len(rated)))
    axes.set_yticklabels(labels, parse_math=False)
    axes.grid(alpha=0.3)
    write_figure(figure, path, dpi=120)
