"""A game on the page: its positions and moves so far."""

import dataclasses
from collections.abc import Sequence

from azjax.page.analysis.rules import Position, Rules
from azjax.support.errors import InputError

_MOST_MOVES = 1000


@dataclasses.dataclass(frozen=True, eq=False)
class GameLine:
    """A game; `positions[i]` is the one after `actions[:i]`."""

    rules: Rules
    positions: tuple[Position, ...]
    actions: tuple[int, ...] = ()

    @property
    def last(self) -> Position:
        """The newest position."""
        return self.positions[-1]

    def play(self, action: int) -> "GameLine":
        """Returns the game after one more move, which is legal."""
        after = self.rules.play(self.last, action)
        return dataclasses.replace(
            self, positions=(*self.positions, after), actions=(*self.actions, action)
        )

    def back_to(self, ply: int) -> "GameLine":
        """Returns the game as it was after so many moves."""
        return dataclasses.replace(
            self, positions=self.positions[: ply + 1], actions=self.actions[:ply]
        )

    def names(self) -> tuple[str, ...]:
        """Returns the moves in the game's notation."""
        return self.rules.names(self.actions)


def read_game(rules: Rules, position: str, moves: Sequence[str]) -> GameLine:
    """Returns the game of a starting position, the game's own if it is empty, and moves from it.

    Raises:
      InputError: The position is none of the game, or a move is not legal.
    """
    if len(moves) > _MOST_MOVES:
        raise InputError(f"at most {_MOST_MOVES} moves")
    line = GameLine(rules, (rules.parse(position),))
    for number, move in enumerate(moves, 1):
        try:
            line = line.play(rules.parse_move(line.last, move))
        except InputError as error:
            raise InputError(f"move {number}: {error}") from error
    return line


def last_turn_of(line: GameLine, seats: set[int]) -> int | None:
    """Returns the last ply before the newest at which one of the seats was to move."""
    plies = [i for i, position in enumerate(line.positions[:-1]) if position.mover in seats]
    return plies[-1] if plies else None
