"""Where Quixo's cubes are, and the arrows at the ends where a taken cube goes back in."""

from typing import NamedTuple

from azjax.page.boards import svg
from azjax.page.boards.kinds.stones import CELL
from azjax.page.boards.svg import Box

BAND = 66  # the width of the place of arrows, beside the board
_GAP = 10  # between cubes
_TIP, _BACK, _WING = 20, 14, 24  # of an arrow, from its middle
_INWARDS = {"L": (1, 0), "R": (-1, 0), "T": (0, 1), "B": (0, -1)}
_Point = tuple[float, float]


class Push(NamedTuple):
    """A move: which cube is taken, and at which end it goes in."""

    row: int
    column: int
    end: str  # L, R, T or B


def read_push(name: str) -> Push:
    """Returns the push of a move in the game's notation, such as `0,4,B`."""
    row, column, end = name.split(",")
    return Push(int(row), int(column), end)


class CubePlaces(NamedTuple):
    """The places on and around a board."""

    size: int  # the number of rows

    def cube(self, push: Push) -> int:
        """Returns the cell of the cube that is taken."""
        return push.row * self.size + push.column

    def name(self, cell: int) -> str:
        """Returns a cell in the game's notation."""
        row, column = divmod(cell, self.size)
        return f"{row},{column}"

    def centre(self, cell: int) -> _Point:
        """Returns the middle of a cell."""
        row, column = divmod(cell, self.size)
        return (column + 0.5) * CELL, (row + 0.5) * CELL

    def square(self, cell: int) -> Box:
        """Returns the place of a cube."""
        x, y = self.centre(cell)
        side = CELL - _GAP
        return Box(x - side / 2, y - side / 2, side, side)

    def end(self, push: Push, distance: float) -> _Point:
        """Returns the point at a distance outside the board at the end where the cube goes in."""
        x, y = self.centre(self.cube(push))
        length = self.size * CELL
        ends = {
            "L": (-distance, y),
            "R": (length + distance, y),
            "T": (x, -distance),
            "B": (x, length + distance),
        }
        return ends[push.end]

    def inserted(self, push: Push) -> int:
        """Returns the cell where the cube goes in."""
        x, y = self.end(push, -CELL / 2)
        return int(y // CELL) * self.size + int(x // CELL)

    def render_arrow(self, push: Push) -> str:
        """Returns an arrow that points inwards at the end where the cube goes in."""
        x, y = self.end(push, BAND / 2)
        right, down = _INWARDS[push.end]
        tip = (x + _TIP * right, y + _TIP * down)
        base_x, base_y = x - _BACK * right, y - _BACK * down
        wings = [(base_x + i * down, base_y + i * right) for i in (_WING, -_WING)]
        return svg.path([[tip, *wings]], {"class": "arrow"}, closed=True)
