"""A game as GTP plays it: colours, undo, score, and the handicap stones that Go begins with."""

import re
from collections.abc import Callable, Collection

import jax
import numpy as np

from azjax.engines.gtp_syntax import BLACK, SYNTAX_ERROR, GtpError, gtp_board
from azjax.games import Game, State, grid
from azjax.games.go.rules import Go

_VERTEX = re.compile(r"[a-z]\d{1,2}|pass|swap-pieces|\d{1,2}")
_WRONG_NUMBER = "invalid number of stones"
# Rows and columns of handicap stones but the one in the middle: 0 is the line near the lower left,
# 1 the middle line, 2 the line near the upper right.
_LINES = ((0, 0), (2, 2), (2, 0), (0, 2), (1, 0), (1, 2), (0, 1), (2, 1))


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
        self._states = [game.init(jax.random.key(0))]  # and after each move of GTP

    @property
    def size(self) -> int:
        """The size of the board, as `boardsize` gives it."""
        return self._board.size

    @property
    def is_empty(self) -> bool:
        """Whether no stone is on the board."""
        return set("".join(self._rows())) == {"."}

    @property
    def state(self) -> State:
        """The position now."""
        return self._states[-1]

    def prepare(self) -> None:
        """Compiles the rules, so that the first move takes no longer than others."""
        state = self.state
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

    def turn_to(self, colour: int) -> State:
        """Returns the position with a colour to move, after a pass of the other if need be.

        Raises:
          GtpError: The game is over, or the other colour cannot pass.
        """
        state = self.state
        if not state.terminated and state.current_player != colour:
            if "pass" not in self._board.vertices:
                raise GtpError("illegal move")
            state = self._after(state, self._board.parse("pass"))
        if state.terminated:
            raise GtpError("illegal move")
        return state

    def play(self, colour: int, action: int) -> None:
        """Plays an action; raises GtpError if it is not legal."""
        self._states.append(self._after(self.turn_to(colour), action))

    def start_from(self, state: State) -> None:
        """Starts anew from a position without a history, such as one of handicap stones."""
        self._states = [state]

    def undo(self) -> None:
        """Takes the last move back; raises GtpError if there is none."""
        if len(self._states) == 1:
            raise GtpError("cannot undo")
        self._states.pop()

    def score(self) -> str:
        """Returns the result: the winner and by how much, if that has a number; 0 for a draw.

        In Go it is the score of the board as it stands.

        Raises:
          GtpError: The game is not over, and not Go.
        """
        state = self.state
        if not (state.terminated or isinstance(self.game, Go)):
            raise GtpError("cannot score")
        lead = self.game.lead(state)
        if lead is not None:
            return f"{'B' if lead > 0 else 'W'}+{abs(float(lead)):g}" if lead else "0"
        return {1: "B+", -1: "W+", 0: "0"}[int(state.rewards[BLACK])]

    def draw(self) -> str:
        """Returns the board as lines of text, with the coordinates of GTP."""
        state, names = self.state, self._board.vertices
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
        return self.game.format_state(self.state).split(" ")[0].split("/")

    def _after(self, state: State, action: int) -> State:
        if not self.game.is_legal(state, action):
            raise GtpError("illegal move")
        return self.game.step(state, action)


def fixed_handicap(size: int, number: int) -> list[int]:
    """Returns the cells of so many stones, by section 4.1.1 of the specification.

    Raises:
      GtpError: A board of this size has no place for so many.
    """
    most = 0 if size < 7 else 9 if size % 2 and size > 7 else 4
    if not 2 <= number <= most:
        raise GtpError(_WRONG_NUMBER)
    edge = 3 if size >= 13 else 2
    lines = edge, size // 2, size - 1 - edge
    in_middle = number >= 5 and number % 2
    points = [*_LINES[: number - in_middle], *([(1, 1)] * in_middle)]
    return [(size - 1 - lines[row]) * size + lines[column] for row, column in points]


def check_free_handicap(size: int, number: int) -> None:
    """Raises GtpError unless so many stones, two at least, leave a vertex empty."""
    if not 2 <= number < size**2:
        raise GtpError(_WRONG_NUMBER)


def handicap_position(game: Go, cells: Collection[int], to_move: str) -> State:
    """Returns the position of black stones alone, with `X`, black, or `O` to move.

    No move or pass leads to it, and no board is before it: nothing can be a repetition.
    """
    size = game.size
    board = "".join("X" if cell in cells else "." for cell in range(size**2))
    rows = "/".join(board[i : i + size] for i in range(0, size**2, size))
    return game.parse_state(f"{rows} {to_move}")


def choose_handicap(game: Go, number: int, choose: Callable[[State], int]) -> list[int]:
    """Returns the cells that a player takes one after another, with white never to move.

    Where it would pass, it takes the first empty cell.
    """
    cells: list[int] = []
    for _ in range(number):
        action = choose(handicap_position(game, cells, "X"))
        is_pass = action == game.size**2
        cells.append(min(set(range(game.size**2)) - set(cells)) if is_pass else action)
    return cells
