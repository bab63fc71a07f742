"""The file of a tournament's matches: a line of JSON for each, written when it has ended."""

import pathlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from azjax.evaluation import Match, MatchResult
from azjax.support.errors import InputError, reading_errors
from azjax.support.files.json_lines import append_json_line, read_json_lines


def describe_match(names: Sequence[str], match: Match) -> dict[str, Any]:
    """Returns the summary of a match between players of these names, without its games."""
    first, second, result = match
    return {
        "first": names[first],
        "second": names[second],
        "wins": result.wins,
        "draws": result.draws,
        "losses": result.losses,
        "forfeits": result.forfeits,
        "score": result.score,
        "interval": result.interval,
        "probability_stronger": result.probability_stronger,
    }


def append_match(path: pathlib.Path, names: Sequence[str], match: Match) -> None:
    """Appends a match, which is on disk then."""
    append_json_line(path, _to_row(names, match))


def read_matches(path: pathlib.Path, names: Sequence[str]) -> list[Match]:
    """Returns the matches between players of these names, without an incomplete last line.

    The first player of a match is the one that is named earlier.

    Raises:
      InputError: The file cannot be read, or is damaged.
    """
    indices = {name: index for index, name in enumerate(names)}
    matches = []
    for number, row in enumerate(_read(path), 1):
        try:
            first, second = indices.get(row["first"]), indices.get(row["second"])
            rewards = np.array(row["rewards"], np.int8)
            by_first, by_second = map(int, row.get("forfeits", (0, 0)))  # older rows have none
            is_right = rewards.ndim == 2 and rewards.shape[1] == 2 and (abs(rewards) <= 1).all()
        except (KeyError, OverflowError, TypeError, ValueError):
            is_right = False
        if not is_right:
            raise InputError(
                f"{path}, line {number}: it must have two players, the rewards of pairs of games, "
                "and perhaps the forfeits of both"
            )
        if first is None or second is None:
            continue
        if first < second:
            result = MatchResult(rewards, forfeits=(by_first, by_second))
            matches.append(Match(first, second, result))
        else:
            result = MatchResult(-rewards[:, ::-1], forfeits=(by_second, by_first))
            matches.append(Match(second, first, result))
    return matches


def _read(path: pathlib.Path) -> list[Any]:
    with reading_errors(path):
        return read_json_lines(path) if path.exists() else []


def _to_row(names: Sequence[str], match: Match) -> dict[str, Any]:
    return describe_match(names, match) | {"rewards": match.result.rewards.tolist()}
