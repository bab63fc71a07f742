"""The solved positions on which all agents of a study or a sweep are measured."""

import hashlib
import pathlib
from typing import NamedTuple

from azjax import games
from azjax.evaluation import Truth, all_positions, is_solvable, read_positions
from azjax.games import Game
from azjax.support.errors import InputError, input_errors


class SolvedPositions(NamedTuple):
    """Positions with their best moves, and where they are from."""

    game: Game
    truth: Truth | None  # None: all of the game's, which is solved where they are asked for
    description: str

    def all(self) -> Truth:
        """Returns the positions."""
        return all_positions(self.game) if self.truth is None else self.truth


def shipped_truth(script: str) -> pathlib.Path:
    """Returns the folder of truth files, named as their games, beside a script's own."""
    return pathlib.Path(script).resolve().parents[1] / "tests" / "data"


def find_positions(
    game_name: str, given: pathlib.Path | None, shipped: pathlib.Path
) -> SolvedPositions:
    """Finds what is known of a game: the given file, its whole solution, or else a shipped file.

    Args:
      game_name: The game.
      given: A truth file, if somebody named one.
      shipped: The folder of `shipped_truth`.

    Raises:
      InputError: Nothing is known, or the file is wrong.
    """
    with input_errors():
        game = games.make(game_name)
    file = given or shipped / f"{game_name}.csv"
    if given is None and is_solvable(game):
        return SolvedPositions(game, None, "all there are, solved")
    if given is None and not file.is_file():
        raise InputError(f"{game_name} is too large to be solved: give --truth FILE")
    with input_errors():
        truth = read_positions(game, file)
    digest = hashlib.sha256(file.read_bytes()).hexdigest()[:16]
    return SolvedPositions(game, truth, f"{file.name}, sha256 {digest}")
