"""The rules of a game on the page: positions as plain data, and games."""

import dataclasses
import functools
from collections.abc import Iterable, Sequence
from typing import Any

import jax
import numpy as np

from azjax import games
from azjax.engines.gtp_syntax import gtp_board
from azjax.games import Game
from azjax.games.go import Go
from azjax.support.errors import InputError, input_errors

_LONGEST_NAME = 100
_MOST_MOVES = 1000
LONGEST_POSITION = 24_000  # characters; one of 26x26 Go has 22,354 with its history


@dataclasses.dataclass(frozen=True, eq=False)
class Position:
    """A position, as NumPy arrays and plain data."""

    state: Any
    text: str  # in one line
    mover: int  # 0 or 1
    legal: tuple[int, ...]  # none where the game is over
    result: int | None  # of player 0: 1, 0 or -1; None while the game lasts
    lead: float | None  # of player 0; None while the game lasts, or if a win has no size

    def value_for_first(self, value: float) -> float:
        """Returns the value for player 0 of one for the player to move."""
        return value if self.mover == 0 else -value


def move_name(game: Game, action: int) -> str:
    """Returns a move as people write it: in Go as GTP does, else in the game's notation."""
    vertices = _go_vertices(game)
    return vertices[action] if vertices else game.format_action(action)


def _go_vertices(game: Game) -> tuple[str, ...]:
    """Returns the names of Go's actions, with rows from the bottom and no column I."""
    return gtp_board(game).vertices if isinstance(game, Go) and game.size < 26 else ()


class Rules:
    """A game whose rules are compiled at their first use."""

    def __init__(self, game: Game):
        self.game = game

    def start(self) -> Position:
        """Returns the start."""
        return self._read(self.game.init(jax.random.key(0)))

    def parse(self, text: str) -> Position:
        """Returns the position of a line of text; of an empty one, the start.

        Raises:
          InputError: The text is no position of the game.
        """
        if not text:
            return self.start()
        if len(text) > LONGEST_POSITION:
            raise InputError(f"a position has at most {LONGEST_POSITION:,} characters")
        with input_errors():
            return self._read(self.game.parse_state(text))

    def play(self, position: Position, action: int) -> Position:
        """Returns the position after a legal action."""
        assert action in position.legal
        return self._read(self.game.step(position.state, action))

    def parse_move(self, position: Position, text: str) -> int:
        """Returns the legal action of a move in the game's notation.

        Raises:
          InputError: It is no move, or is not legal.
        """
        with input_errors():
            action = self.game.parse_action(text)
        if position.result is not None:
            raise InputError(f"{text} cannot be played: the game is over")
        if action not in position.legal:
            raise InputError(f"{text} cannot be played here")
        return action

    def read_move(self, position: Position, text: str) -> int:
        """Returns the legal action of a move as people write it; as for `parse_move`."""
        names = [name.lower() for name in _go_vertices(self.game)]
        if text.lower() in names:
            text = self.game.format_action(names.index(text.lower()))
        elif names:
            raise InputError(f"{text!r} is no move: write one such as D4, or pass")
        return self.parse_move(position, text)

    def titles(self, actions: Iterable[int]) -> tuple[str, ...]:
        """Returns the moves of actions as people write them."""
        return tuple(move_name(self.game, action) for action in actions)

    def names(self, actions: Iterable[int]) -> tuple[str, ...]:
        """Returns the moves of actions in the game's notation."""
        return tuple(self.game.format_action(action) for action in actions)

    def _read(self, state: Any) -> Position:
        state, legal = jax.device_get((state, self.game.legal_action_mask(state)))
        lead = self.game.lead(state) if state.terminated else None
        return Position(
            state=state,
            text=self.game.format_state(state),
            mover=int(state.current_player),
            legal=tuple(np.flatnonzero(legal).tolist()),
            result=int(state.rewards[0]) if state.terminated else None,
            lead=None if lead is None else float(lead),
        )


@functools.lru_cache(64)
def make_rules(name: str) -> Rules:
    """Returns the rules of a game by its name, with sizes or without.

    Raises:
      InputError: There is no such game.
    """
    if len(name) > _LONGEST_NAME:
        raise InputError(f"the name of a game has at most {_LONGEST_NAME} characters")
    with input_errors():
        return Rules(games.make(name))


@dataclasses.dataclass(frozen=True, eq=False)
class GameLine:
    """A game so far; `positions[i]` is the one after `actions[:i]`."""

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
        return GameLine(self.rules, (*self.positions, after), (*self.actions, action))

    def back_to(self, ply: int) -> "GameLine":
        """Returns the game as it was after so many moves."""
        return GameLine(self.rules, self.positions[: ply + 1], self.actions[:ply])

    def extends(self, other: "GameLine") -> bool:
        """Tells whether another line, from the same start, is the beginning of this one."""
        return self.actions[: len(other.actions)] == other.actions

    def names(self) -> tuple[str, ...]:
        """Returns the moves in the game's notation."""
        return self.rules.names(self.actions)

    def titles(self) -> tuple[str, ...]:
        """Returns the moves as people write them."""
        return self.rules.titles(self.actions)

    def last_turn_of(self, seats: set[int]) -> int | None:
        """Returns the last ply before the newest at which one of the seats was to move."""
        plies = [i for i, position in enumerate(self.positions[:-1]) if position.mover in seats]
        return plies[-1] if plies else None


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
