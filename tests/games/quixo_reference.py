"""Independent Quixo on a plain NumPy board, to be compared with azjax's.

azjax shifts bits; this code removes the cube from a copied row or column and inserts it again.
"""

import numpy as np

BLANK = -1
ENDS = "LRTB"


class Quixo:
    """One game; cells hold 0, 1 or BLANK."""

    def __init__(self, size: int):
        self.cells = np.full((size, size), BLANK)
        self.player = 0
        self.winner = None

    def moves(self) -> list[str]:
        """Returns the legal moves in the order of cells, then of ends, as in `0,4,B`."""
        if self.winner is not None:
            return []
        last = len(self.cells) - 1
        moves = []
        for (row, column), owner in np.ndenumerate(self.cells):
            is_border = row in (0, last) or column in (0, last)
            if is_border and owner != 1 - self.player:
                taken_from = {"L": column == 0, "R": column == last, "T": row == 0}
                taken_from["B"] = row == last
                moves += [f"{row},{column},{end}" for end in ENDS if not taken_from[end]]
        return moves

    def play(self, move: str) -> None:
        """Plays a legal move."""
        row, column, end = move.split(",")
        row, column = int(row), int(column)
        line, index = (self.cells[row], column) if end in "LR" else (self.cells[:, column], row)
        rest = np.delete(line, index).tolist()
        line[:] = [self.player, *rest] if end in "LT" else [*rest, self.player]
        self.player = 1 - self.player
        for owner in (1 - self.player, self.player):  # a line of the side to move takes precedence
            self.winner = owner if self._has_line(owner) else self.winner

    def _has_line(self, owner: int) -> bool:
        own = self.cells == owner
        diagonals = own.diagonal().all() or own[::-1].diagonal().all()
        return bool(own.all(0).any() or own.all(1).any() or diagonals)
