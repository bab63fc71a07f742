"""Independent Othello on Python integers as bit masks, to be compared with azjax's.

azjax shifts all runs of discs at once. This code walks from the new disc to the end of each run, on
a board with a border of cells that are never occupied.
"""

import functools
from collections.abc import Iterable


class Othello:
    """The rules on one size of board; a position is the discs of who moves and of the opponent."""

    def __init__(self, size: int):
        width = size + 2
        self.bits = [
            1 << (row * width + column)
            for row in range(1, size + 1)
            for column in range(1, size + 1)
        ]
        self.steps = (1, width - 1, width, width + 1)

    def mask(self, cells: Iterable[int]) -> int:
        """Returns the cells, counted row by row, as one mask."""
        return sum(self.bits[cell] for cell in cells)

    def turned(self, mine: int, theirs: int, disc: int) -> int:
        """Returns the opponent's discs that a new disc of the mover flips."""
        turned = 0
        for step in self.steps:
            for move in (int.__lshift__, int.__rshift__):
                run, cell = 0, move(disc, step)
                while cell & theirs:
                    run, cell = run | cell, move(cell, step)
                turned |= run if cell & mine else 0
        return turned

    def moves(self, mine: int, theirs: int) -> dict[int, tuple[int, int]]:
        """Returns for each cell that may be played the position after it, as the opponent's."""
        after = {}
        for cell, disc in enumerate(self.bits):
            if not disc & (mine | theirs) and (turned := self.turned(mine, theirs, disc)):
                after[cell] = theirs & ~turned, mine | disc | turned
        return after

    @functools.cache  # noqa: B019  (tests make few instances)
    def lead(self, mine: int, theirs: int) -> int:
        """Returns how many discs the mover will be ahead with best play of both, by minimax."""
        if after := self.moves(mine, theirs):
            return max(-self.lead(*position) for position in after.values())
        if self.moves(theirs, mine):
            return -self.lead(theirs, mine)
        return mine.bit_count() - theirs.bit_count()
