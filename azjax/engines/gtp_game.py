"""A game in progress as the Go Text Protocol (GTP) plays it: colours, vertices, undo, score."""

import re
from typing import NamedTuple

import jax
import numpy as np

from azjax.engines.gtp_command import SYNTAX_ERROR, GtpError
from azjax.engines.gtp_vertex import gtp_board
from azjax.games import Game, State, grid
from azjax.games.go.rules import Go

BLACK, WHITE = 0, 1  # black moves first
COLOURS = {"b": BLACK, "black": BLACK, "w": WHITE, "white": WHITE}
_VERTEX = re.compile(r"[a-z]\d{1,2}|pass|swap-pieces|\d{1,2}")
_PASS = "pass"


class Position(NamedTuple):
    """A position, and the actions that lead to it, from the start or from handicap stones."""

    state: State
    actions: tuple[int, ...]


def parse_colour(text: str) -> int:
    """Returns BLACK or WHITE.

    Raises:
      GtpError: The text is no colour.
    """
    try:
        return COLOURS[text.lower()]
    except KeyError:
        raise GtpError(SYNTAX_ERROR) from None


class GtpGame:
    """A game in progress.

    The sides need not take turns, as far as the game allows it: where a side moves out of turn, the
    other passes first, if that is legal and does not end the game.
    """

    def __init__(self, game: Game):
        """Starts the game.

        Raises:
          ValueError: GTP does not know the game's board.
        """
        self.game, self._board = game, gtp_board(game)
        start = Position(game.init(jax.random.key(0)), ())
        self._positions = [start]  # after each move of GTP

    @property
    def size(self) -> int:
        """The size of the board, as `boardsize` gives it."""
        return self._board.size

    @property
    def is_empty(self) -> bool:
        """Whether no stone is on the board."""
        return set("".join(self._rows())) == {"."}

    @property
    def position(self) -> Position:
        """The position now."""
        return self._positions[-1]

    def prepare(self) -> None:
        """Compiles the rules, so that the first move takes no longer than others."""
        state = self.position.state
        jax.block_until_ready((self.game.is_legal(state, 0), self.game.step(state, 0)))

    def change_rules(self, game: Game) -> None:
        """Goes on by other rules, whose positions before the end are the same."""
        self.game, self._board = game, gtp_board(game)

    def parse_vertex(self, text: str) -> int:
        """Returns the action of a vertex.

        Raises:
          GtpError: The text is no vertex, or none of this board.
        """
        if not _VERTEX.fullmatch(text.lower()):
            raise GtpError(SYNTAX_ERROR)
        try:
            return self._board.parse(text)
        except ValueError:
            raise GtpError("illegal move") from None

    def format_action(self, action: int) -> str:
        """Returns the vertex of an action."""
        return self._board.format(action)

    def turn_to(self, colour: int) -> Position:
        """Returns the position with a colour to move, after a pass of the other if need be.

        Raises:
          GtpError: The game is over, or the other colour cannot pass.
        """
        position = self.position
        if not position.state.terminated and position.state.current_player != colour:
            position = self._after(position, self._pass())
        if position.state.terminated:
            raise GtpError("illegal move")
        return position

    def play(self, colour: int, action: int) -> None:
        """Plays an action.

        Raises:
          GtpError: It is not legal.
        """
        self._positions.append(self._after(self.turn_to(colour), action))

    def set_start(self, state: State) -> None:
        """Starts anew from a position without stones' history, such as one of handicap stones."""
        self._positions = [Position(state, ())]

    def undo(self) -> None:
        """Takes the last move back.

        Raises:
          GtpError: There is none.
        """
        if len(self._positions) == 1:
            raise GtpError("cannot undo")
        self._positions.pop()

    def score(self) -> str:
        """Returns the result: the winner and by how much, if that has a number; 0 for a draw.

        In Go it is the score of the board as it stands.

        Raises:
          GtpError: The game is not over, and not Go.
        """
        state = self.position.state
        if not (state.terminated or isinstance(self.game, Go)):
            raise GtpError("cannot score")
        lead = self.game.lead(state)
        if lead is not None:
            return _format_lead(float(lead))
        return {1: "B+", -1: "W+", 0: "0"}[int(state.rewards[BLACK])]

    def draw(self) -> str:
        """Returns the board as lines of text, with the coordinates of GTP."""
        state, names = self.position.state, self._board.vertices
        rows, to_move = self._rows(), "XO"[int(state.current_player)]
        if len(names) < len(rows) * len(rows[0]):  # an action is no cell
            board = self.game.render(state)
        else:
            owners = np.array([[grid.SYMBOLS.index(cell) for cell in row] for row in rows])
            columns = [name[0] for name in names[: self.size]]
            numbers = [name[1:] for name in names[: self.size**2 : self.size]]
            board = grid.render_board(owners, columns, numbers)
        turn = "the game is over" if state.terminated else f"{to_move} to move"
        return f"\n{board}\nX is black, O is white; {turn}"

    def _rows(self) -> list[str]:
        """Returns the rows of the board from the top, a symbol for each cell."""
        return self.game.format_state(self.position.state).split(" ")[0].split("/")

    def _pass(self) -> int:
        if _PASS not in self._board.vertices:
            raise GtpError("illegal move")
        return self._board.parse(_PASS)

    def _after(self, position: Position, action: int) -> Position:
        if not self.game.is_legal(position.state, action):
            raise GtpError("illegal move")
        return Position(self.game.step(position.state, action), (*position.actions, action))


def _format_lead(lead: float) -> str:
    """Returns such as `B+3.5`; `lead` is black's."""
    return f"{'B' if lead > 0 else 'W'}+{abs(lead):g}" if lead else "0"
