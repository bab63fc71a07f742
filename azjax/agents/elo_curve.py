"""The Elo curve of a run, from the record of an `azjax tournament`."""

import pathlib
import shlex
from collections.abc import Iterator
from typing import Any, NamedTuple

from azjax.agents.tournament_record import RECORD
from azjax.support.errors import InputError, reading_errors
from azjax.support.files.reading import read_json

_FEWEST = 2  # networks of the run that make a curve


class RatedNetwork(NamedTuple):
    """The rating of one network."""

    iteration: int
    elo: float  # above random
    low: float  # of its 95% interval
    high: float


class EloCurve(NamedTuple):
    """The ratings of a run's networks in one tournament."""

    rated: tuple[RatedNetwork, ...]  # in the order of iterations; none before its end
    text: str  # its conditions


def find_elo_curve(runs: pathlib.Path, run: pathlib.Path) -> EloCurve | None:
    """Returns the ratings of a run by the newest tournament of its networks, if there is one.

    Looked at are the folders in the run's, beside it, and beside the folder of runs. A record that
    is damaged, or of other runs, is left out.
    """
    found = []
    for file in _records(run, run.parent, runs.parent):
        try:
            with reading_errors(file):
                curve = _parse_record(read_json(file), file.parent, run)
                changed = file.stat().st_mtime
        except InputError:
            continue
        if curve is not None:
            found.append((changed, curve))
    return max(found, key=lambda pair: pair[0])[1] if found else None


def _parse_record(
    record: dict[str, Any], folder: pathlib.Path, run: pathlib.Path
) -> EloCurve | None:
    """Returns the ratings of a run's networks in a folder's record; None if it is of others."""
    players = [one for one in record["players"] if _is_of(str(one["name"]), folder, run)]
    if len(players) < _FEWEST:
        return None
    rated = sorted(
        RatedNetwork(int(one["iteration"]), float(one["elo"]), *map(float, one["interval"]))
        for one in players
        if "elo" in one
    )
    conditions = f"{int(record['games_per_match']):,} games a match"
    if record["simulations"] is not None:  # else as in the run's evaluations
        conditions += f", {int(record['simulations']):,} simulations a move"
    ending = "" if rated else ", not ended yet"
    return EloCurve(tuple(rated), f"From {folder.name}/: {conditions}{ending}.")


def tournament_command(run: pathlib.Path) -> str:
    """Returns the command that makes the record of a run."""
    folder = str(run / "tournament")
    return shlex.join(["azjax", "tournament", str(run), "--checkpoints", "--out", folder])


def _records(*folders: pathlib.Path) -> Iterator[pathlib.Path]:
    """Yields the records in some folders, and in those that are in them."""
    for folder in dict.fromkeys(folders):
        if (folder / RECORD).is_file():
            yield folder / RECORD
        yield from sorted(folder.glob(f"*/{RECORD}"))


def _is_of(player: str, folder: pathlib.Path, run: pathlib.Path) -> bool:
    """Tells whether the name of a player, relative to an unknown folder, is the run's."""
    name, at, _ = player.rpartition("@")
    parts = [part for part in pathlib.PurePath(name).parts if part != ".."]
    if not at:
        return False
    return list(run.parts[-len(parts) :]) == parts if parts else folder.is_relative_to(run)
