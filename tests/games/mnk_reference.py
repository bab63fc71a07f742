"""Independent m,n,k-games in plain NumPy, to be compared with azjax's.

azjax tests the whole board for lines; this code walks from the last stone both ways.
"""

import numpy as np

DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))


class Boards:
    """Many games of one size at once; player 0 is +1 on the board and player 1 is -1."""

    def __init__(self, games: int, rows: int, columns: int, length: int):
        self.rows, self.columns, self.length = rows, columns, length
        self.cells = np.zeros((games, rows, columns), np.int8)
        self.turn = 0  # the same in all games that still last
        self.over = np.zeros(games, bool)
        self.rewards = np.zeros((games, 2), np.int8)

    def legal(self) -> np.ndarray:
        """Returns [games, cells] bool."""
        return (self.cells == 0).reshape(len(self.cells), -1) & ~self.over[:, None]

    def play(self, actions: np.ndarray) -> None:
        """Plays a legal action in each game that still lasts; the others do not change."""
        colour = 1 - 2 * self.turn
        game = np.flatnonzero(~self.over)
        row, column = np.divmod(actions[game], self.columns)
        assert (self.cells[game, row, column] == 0).all()
        self.cells[game, row, column] = colour
        won = np.any(
            [
                1
                + self._stones(game, row, column, down, right, colour)
                + self._stones(game, row, column, -down, -right, colour)
                >= self.length
                for down, right in DIRECTIONS
            ],
            axis=0,
        )
        full = (self.cells[game] != 0).all((1, 2))
        self.over[game] = won | full
        self.rewards[game, self.turn] = won
        self.rewards[game, 1 - self.turn] = -won.astype(np.int8)
        self.turn = 1 - self.turn

    def _stones(self, game, row, column, down, right, colour) -> np.ndarray:
        """Returns how many stones of the colour follow without a gap in one direction."""
        count = np.zeros(len(game), int)
        unbroken = np.ones(len(game), bool)
        for _ in range(self.length - 1):
            row, column = row + down, column + right
            inside = (row >= 0) & (row < self.rows) & (column >= 0) & (column < self.columns)
            stone = self.cells[game, np.where(inside, row, 0), np.where(inside, column, 0)]
            unbroken &= inside & (stone == colour)
            count += unbroken
        return count
