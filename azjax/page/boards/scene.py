"""A position, and what is shown of it."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from azjax.games import Game, grid


@dataclasses.dataclass(frozen=True)
class Marks:
    """What a board shows besides its stones."""

    last: int | None = None  # the action that led to the position
    weights: Mapping[int, float] = dataclasses.field(default_factory=dict)  # by action, 0 to 1
    exact: Mapping[int, int] = dataclasses.field(default_factory=dict)  # by action, for the mover
    is_clickable: bool = True
    taken: int | None = None  # the cell of Quixo's cube that was clicked first


@dataclasses.dataclass(frozen=True, eq=False)
class Scene:
    """A position to render."""

    game: Game
    state: Any
    legal: Sequence[int]
    marks: Marks = Marks()

    @property
    def mover(self) -> int:
        """The player to move, 0 or 1."""
        return int(self.state.current_player)

    def name(self, action: int) -> str:
        """Returns the action in the game's notation."""
        return self.game.format_action(action)

    def owners(self, rows: int, columns: int) -> list[int]:
        """Returns the owner of each cell, 0, 1 or EMPTY, from the position in one line.

        Raises:
          ValueError: The line does not begin with the rows of a board and the side to move.
        """
        words = self.game.format_state(self.state).split()
        board, _ = grid.parse_board(" ".join(words[:2]), rows, columns)
        return board.reshape(-1).tolist()
