"""A game as GTP plays it: colours, undo, score, and the handicap stones that Go begins with."""

import re
from collections.abc import Callable, Collection, Sequence

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

    def __init__(self, game: Game, states: Sequence[State] = ()):
        """Starts the game, or goes on from the states of one whose rules differ at its end alone.

        The rules are compiled, so that no move waits.

        Raises:
          ValueError: GTP does not know the game's board.
        """
        self.game, self.board = game, gtp_board(game)
        self.states = list(states) or [game.init(jax.random.key(0))]  # after each move of GTP
        jax.block_until_ready((game.is_legal(self.state, 0), game.step(self.state, 0)))

    @property
    def state(self) -> State:
        """The position now."""
        return self.states[-1]

    def parse_vertex(self, text: str) -> int:
        """Returns the action of a vertex; raises GtpError if the text is none of this board."""
        if not _VERTEX.fullmatch(text.lower()):
            raise GtpError(SYNTAX_ERROR)
        try:
            return self.board.parse(text)
        except ValueError:
            raise GtpError("illegal move") from None

    def turn_to(self, colour: int) -> State:
        """Returns the position with a colour to move, after a pass of the other if need be.

        Raises GtpError if the game is over, or the other colour cannot pass.
        """
        state = self.state
        if not state.terminated and state.current_player != colour:
            if "pass" not in self.board.vertices:
                raise GtpError("illegal move")
            state = self._after(state, self.board.parse("pass"))
        if state.terminated:
            raise GtpError("illegal move")
        return state

    def play(self, colour: int, action: int) -> None:
        """Plays an action; raises GtpError if it is not legal."""
        self.states.append(self._after(self.turn_to(colour), action))

    def check_empty(self) -> None:
        """Raises GtpError if a stone is on the board."""
        if set("".join(self._rows())) != {"."}:
            raise GtpError("board not empty")

    def place_handicap(self, cells: Sequence[int]) -> str:
        """Starts from black stones, with white to move; returns their vertices."""
        self.check_empty()
        self.states = [_handicap_position(self.game, self.board.size, cells, "O")]
        return " ".join(map(self.board.format, cells))

    def choose_handicap(self, number: int, choose: Callable[[State], int]) -> list[int]:
        """Returns the cells that a player takes one after another, with white never to move.

        Where it would pass, it takes the first empty cell.
        """
        size, cells = self.board.size, list[int]()
        for _ in range(number):
            action = choose(_handicap_position(self.game, size, cells, "X"))
            is_pass = action == size**2
            cells.append(min(set(range(size**2)) - set(cells)) if is_pass else action)
        return cells

    def undo(self) -> None:
        """Takes the last move back; raises GtpError if there is none."""
        if len(self.states) == 1:
            raise GtpError("cannot undo")
        self.states.pop()

    def score(self) -> str:
        """Returns the result: the winner and by how much, if that has a number; 0 for a draw.

        In Go it counts the board as it stands; else GtpError is raised before the end.
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
        state, names = self.state, self.board.vertices
        rows, to_move = self._rows(), "XO"[int(state.current_player)]
        if len(names) < len(rows) * len(rows[0]):  # an action is no cell
            board = self.game.render(state)
        else:
            owners = np.array([[grid.SYMBOLS.index(cell) for cell in row] for row in rows])
            columns = [name[0] for name in names[: self.board.size]]
            numbers = [name[1:] for name in names[: self.board.size**2 : self.board.size]]
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
    """Returns the cells by section 4.1.1 of the specification; raises GtpError without any."""
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


def _handicap_position(game: Game, size: int, cells: Collection[int], to_move: str) -> State:
    """Returns the position of black stones alone, with `X`, black, or `O` to move.

    No move or pass leads to it, and no board is before it: nothing can be a repetition.
    """
    board = "".join("X" if cell in cells else "." for cell in range(size**2))
    rows = "/".join(board[i : i + size] for i in range(0, size**2, size))
    return game.parse_state(f"{rows} {to_move}")
