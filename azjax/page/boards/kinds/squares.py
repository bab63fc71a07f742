"""Boards of squares, with stones or with the signs X and O."""

from azjax.page.boards import svg
from azjax.page.boards.kinds.cells import CellBoard
from azjax.page.boards.kinds.stones import CELL, render_labels, render_sign
from azjax.page.boards.svg import Attributes, Box
from azjax.page.boards.targets import PLAYERS

_LABELS, _MARGIN = 60, 20  # at the left and above; at the right and below
_NAMES = 32  # from the board to the middle of the names


class SquareBoard(CellBoard):
    """A board with stones on squares."""

    @property
    def box(self) -> Box:
        width, height = self.columns * CELL, self.rows * CELL
        return Box(-_LABELS, -_LABELS, width + _LABELS + _MARGIN, height + _LABELS + _MARGIN)

    def centre(self, cell: int) -> tuple[float, float]:
        row, column = divmod(cell, self.columns)
        return (column + 0.5) * CELL, (row + 0.5) * CELL

    def render_ground(self) -> str:
        width, height = self.columns * CELL, self.rows * CELL
        lines = [[(x, 0), (x, height)] for x in range(CELL, width, CELL)]
        lines += [[(0, y), (width, y)] for y in range(CELL, height, CELL)]
        return "".join(
            [
                svg.rectangle(Box(0, 0, width, height), {"class": "ground", "rx": 10}),
                svg.path(lines, {"class": "line"}),
                self.render_coordinates(),
            ]
        )

    def render_coordinates(self) -> str:
        """Returns the names of columns, above the board, and of rows, at its left."""
        columns = [(self.centre(cell)[0], -_NAMES) for cell in range(self.columns)]
        rows = [(-_NAMES, self.centre(row * self.columns)[1]) for row in range(self.rows)]
        return render_labels(self.column_names, columns) + render_labels(self.row_names, rows)

    def render_outline(self, cell: int, attributes: Attributes) -> str:
        row, column = divmod(cell, self.columns)
        return svg.rectangle(Box(column * CELL, row * CELL, CELL, CELL), attributes)


class SignBoard(SquareBoard):
    """A board with the signs X and O on squares."""

    def render_stone(self, cell: int, owner: int) -> str:
        return render_sign(*self.centre(cell), owner)

    def render_last(self, cell: int, owner: int) -> str:
        return self.render_outline(cell, {"class": f"last tint {PLAYERS[owner]}"})

    def render_won(self, cell: int, owner: int) -> str:
        return self.render_outline(cell, {"class": f"won tint {PLAYERS[owner]}"})
