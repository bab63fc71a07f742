"""Files of recorded games: a line of moves for each game."""

import pathlib
from typing import NamedTuple

from azjax.games import Game
from azjax.support.errors import InputError, reading_errors
from azjax.support.files.atomic_files import write_text_atomically
from azjax.support.files.bounded_files import read_text


class RecordedGame(NamedTuple):
    """A game of a file."""

    line: int  # its number in the file, from 1
    actions: list[int]


def read_games(game: Game, path: pathlib.Path) -> list[RecordedGame]:
    """Returns the games of a file, whose moves need not be legal.

    Raises:
      InputError: The file cannot be read or has no game, or a word is no move.
    """
    with reading_errors(path):
        lines = read_text(path).splitlines()
    records = [
        RecordedGame(number, _parse(game, path, number, line))
        for number, line in enumerate(lines, start=1)
        if line.strip()
    ]
    if not records:
        raise InputError(f"{path} holds no games: write the moves of each in a line")
    return records


def write_games(game: Game, path: pathlib.Path, records: list[list[int]]) -> None:
    """Writes the actions of games as `read_games` reads them."""
    lines = (" ".join(map(game.format_action, record)) for record in records)
    write_text_atomically(path, "".join(f"{line}\n" for line in lines))


def _parse(game: Game, path: pathlib.Path, number: int, line: str) -> list[int]:
    try:
        return [game.parse_action(move) for move in line.split()]
    except ValueError as error:
        raise InputError(f"{path}, line {number}: {error}") from None
