"""Files of recorded games: a line of moves for each game."""

import functools
import pathlib

import jax
import numpy as np

from azjax.games import Game
from azjax.support.atomic_files import write_text_atomically
from azjax.support.bounded_files import read_text
from azjax.support.errors import InputError, reading_errors

PADDING = -1  # in place of an action


def read_games(game: Game, path: pathlib.Path) -> list[list[int]]:
    """Returns the actions of each game in a file.

    Raises:
      InputError: The file cannot be read or has no game, or a line is no game.
    """
    with reading_errors(path):
        lines = read_text(path).splitlines()
    records = [
        (number, _parse(game, path, number, line))
        for number, line in enumerate(lines, start=1)
        if line.strip()
    ]
    if not records:
        raise InputError(f"{path} holds no games: write the moves of each in a line")
    illegal = _find_illegal(game, [record for _, record in records])
    if illegal is not None:
        index, move = illegal
        raise InputError(f"{path}, line {records[index][0]}: move {move + 1} is not legal")
    return [record for _, record in records]


def write_games(game: Game, path: pathlib.Path, records: list[list[int]]) -> None:
    """Writes games as `read_games` reads them."""
    lines = (" ".join(map(game.format_action, record)) for record in records)
    write_text_atomically(path, "".join(f"{line}\n" for line in lines))


def _parse(game: Game, path: pathlib.Path, number: int, line: str) -> list[int]:
    try:
        return [game.parse_action(move) for move in line.split()]
    except ValueError as error:
        raise InputError(f"{path}, line {number}: {error}") from None


def pad(records: list[list[int]]) -> np.ndarray:
    """Returns [N, L]: the actions of N games, padded to the longest."""
    padded = np.full((len(records), max(map(len, records))), PADDING, np.int32)
    for row, record in zip(padded, records, strict=True):
        row[: len(record)] = record
    return padded


def _find_illegal(game: Game, records: list[list[int]]) -> tuple[int, int] | None:
    """Returns the first game and move that is not legal, or comes after the end; or None."""
    padded = pad(records)
    legal = np.asarray(_are_legal(game, padded)) | (padded == PADDING)
    wrong = np.argwhere(~legal)
    return (int(wrong[0][0]), int(wrong[0][1])) if len(wrong) else None


@functools.partial(jax.jit, static_argnums=0)
def _are_legal(game: Game, actions: jax.Array) -> jax.Array:
    """Returns [N, L] bool: whether each action is legal where it is played."""

    def play(state, action):
        return game.step(state, action), game.is_legal(state, action) & ~state.terminated

    def play_game(actions):
        return jax.lax.scan(play, game.init(jax.random.key(0)), actions)[1]

    return jax.vmap(play_game)(actions)
