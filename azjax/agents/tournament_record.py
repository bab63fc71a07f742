"""What is left of a tournament: its matches as they end, a JSON file of all, and a picture."""

import json
import pathlib
from typing import Any

from azjax.agents.player_spec import NamedPlayer
from azjax.evaluation import Match, Rating, Standings
from azjax.support.atomic_files import write_text_atomically
from azjax.support.errors import InputError

_FILE = "tournament.json"
_MATCHES = "matches.jsonl"
_PICTURE = "ratings.png"


def check_out(path: pathlib.Path) -> None:
    """Raises InputError where a tournament is there already, or no folder can be."""
    if (path / _FILE).exists() or (path / _MATCHES).exists():
        raise InputError(f"{path} already holds a tournament: choose another folder with --out")
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}") from error


def append_match(path: pathlib.Path, players: list[NamedPlayer], match: Match) -> None:
    """Writes a match that has ended, so that a tournament that is stopped leaves what it played."""
    with (path / _MATCHES).open("a", encoding="utf-8") as file:
        file.write(json.dumps(_describe_match(players, match)) + "\n")


def write_standings(
    path: pathlib.Path,
    players: list[NamedPlayer],
    standings: Standings,
    settings: dict[str, Any],
    *,
    over_iterations: bool,
) -> None:
    """Writes the JSON file and the picture into a folder.

    Args:
      path: The folder.
      players: n, as in the standings.
      standings: The outcome.
      settings: What the tournament was played with.
      over_iterations: Whether the picture is of a run over its iterations, or of the players.
    """
    text = json.dumps(_describe(players, standings, settings), indent=2)
    write_text_atomically(path / _FILE, text + "\n")
    _draw(path / _PICTURE, players, standings, over_iterations=over_iterations)


def _describe(
    players: list[NamedPlayer], standings: Standings, settings: dict[str, Any]
) -> dict[str, Any]:
    return {
        **settings,
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
        "wins": sum(result.wins),
        "draws": sum(result.draws),
        "losses": sum(result.losses),
        "score": result.score,
        "interval": result.interval,
        "probability_stronger": result.probability_stronger,
    }


def _draw(
    path: pathlib.Path, players: list[NamedPlayer], standings: Standings, *, over_iterations: bool
) -> None:
    from matplotlib.figure import Figure

    rated = list(zip(players, standings.ratings, strict=True))
    figure = Figure(figsize=(6.4, 4.0), layout="constrained")
    axes = figure.subplots()
    if over_iterations:
        _draw_over_iterations(axes, rated)
    else:
        _draw_in_order(axes, rated)
    axes.grid(alpha=0.3)
    figure.savefig(path, dpi=120)


def _draw_over_iterations(axes: Any, rated: list[tuple[NamedPlayer, Rating]]) -> None:
    rated = sorted(
        ((player, rating) for player, rating in rated if player.iteration is not None),
        key=lambda pair: pair[0].iteration,
    )
    iterations = [player.iteration for player, _ in rated]
    elo, errors = _with_errors(rated)
    axes.errorbar(iterations, elo, yerr=errors, marker="o", capsize=3)
    axes.set(xlabel="iteration", ylabel="Elo above random")


def _draw_in_order(axes: Any, rated: list[tuple[NamedPlayer, Rating]]) -> None:
    rated = sorted(rated, key=lambda pair: pair[1].elo)
    elo, errors = _with_errors(rated)
    axes.errorbar(elo, range(len(rated)), xerr=errors, fmt="o", capsize=3)
    axes.set(xlabel="Elo above random", yticks=range(len(rated)))
    axes.set_yticklabels([player.name for player, _ in rated])


def _with_errors(
    rated: list[tuple[NamedPlayer, Rating]],
) -> tuple[list[float], list[list[float]]]:
    """Returns the ratings, and the lengths of the error bars below and above them."""
    ratings = [rating for _, rating in rated]
    below = [max(0.0, elo - interval.low) for elo, interval in ratings]
    above = [max(0.0, interval.high - elo) for elo, interval in ratings]
    return [elo for elo, _ in ratings], [below, above]
