"""A game as GTP plays it: colours, undo and score."""

import re
from collections.abc import Sequence

import jax
import numpy as np

from azjax.engines.gtp_syntax import BLACK, SYNTAX_ERROR, GtpError, gtp_board
from azjax.games import Game, State, grid
from azjax.games.go.rules import Go

_VERTEX = re.compile(r"[a-z]\d{1,2}|pass|swap-pieces|\d{1,2}")


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
