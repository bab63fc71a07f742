"""The files of a tournament: the matches as they end, the standings as JSON, and a figure."""

import json
import pathlib
from typing import TYPE_CHECKING, Any

from azjax.agents.player_spec import NamedPlayer
from azjax.evaluation import Match, Rating, Standings
from azjax.support.atomic_files import write_text_atomically
from azjax.support.errors import InputError
from azjax.support.figures import write_figure

if TYPE_CHECKING:  # importing matplotlib takes longer than --help should
    from matplotlib.axes import Axes

_FILE = "tournament.json"
_MATCHES = "matches.jsonl"
_FIGURE = "ratings.png"
FILES = (_FILE, _MATCHES, _FIGURE)


def check_out(path: pathlib.Path) -> None:
    """Makes the folder; raises InputError if it holds a tournament, or cannot be made."""
    if (path / _FILE).exists() or (path / _MATCHES).exists():
        raise InputError(f"{path} already holds a tournament: choose another folder with --out")
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}") from error


def append_match(path: pathlib.Path, players: list[NamedPlayer], match: Match) -> None:
    """Appends a finished match to the file of matches, which an interrupted tournament keeps."""
    with (path / _MATCHES).open("a", encoding="utf-8") as file:
        file.write(json.dumps(_describe_match(players, match)) + "\n")


def write_standings(
    path: pathlib.Path,
    players: list[NamedPlayer],
    standings: Standings,
    conditions: dict[str, Any],
    *,
    over_iterations: bool,
) -> None:
    """Writes the JSON file and the figure into a folder.

    Args:
      path: The folder.
      players: The n players of the standings.
      standings: The result of the tournament.
      conditions: The game and the settings of the tournament.
      over_iterations: Whether to plot ratings over iterations, instead of by player.
    """
    text = json.dumps(_describe(players, standings, conditions), indent=2)
    write_text_atomically(path / _FILE, text + "\n")
    _plot(path / _FIGURE, players, standings, over_iterations=over_iterations)


def _describe(
    players: list[NamedPlayer], standings: Standings, conditions: dict[str, Any]
) -> dict[str, Any]:
    return {
        **conditions,
        "players": [
            {
                "name": player.name,
                "iteration": player.iteration,
                "elo": rating.elo,
                "interval": rating.interval,
                "score": score,
            }
            for player, rating, score in zip(
                players, standings.ratings, standings.scores, strict=True
            )
        ],
        "matches": [_describe_match(players, match) for match in standings.matches],
    }


def _describe_match(players: list[NamedPlayer], match: Match) -> dict[str, Any]:
    first, second, result = match
    return {
        "first": players[first].name,
        "second": players[second].name,
        "wins": result.wins,
        "draws": result.draws,
        "losses": result.losses,
        "score": result.score,
        "interval": result.interval,
        "probability_stronger": result.probability_stronger,
    }


def _plot(
    path: pathlib.Path, players: list[NamedPlayer], standings: Standings, *, over_iterations: bool
) -> None:
    from matplotlib.figure import Figure

    rated = list(zip(players, standings.ratings, strict=True))
    figure = Figure(figsize=(6.4, 4.0), layout="constrained")
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
    axes.set_yticklabels([player.name for player, _ in rated])


def _with_errors(ratings: list[Rating]) -> tuple[list[float], list[list[float]]]:
    """Returns Elo, and the lengths of the error bars below and above."""
    below = [max(0.0, elo - interval.low) for elo, interval in ratings]
    above = [max(0.0, interval.high - elo) for elo, interval in ratings]
    return [elo for elo, _ in ratings], [below, above]
