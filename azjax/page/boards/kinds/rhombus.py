"""Hex's rhombus of hexagons, with the edges that each player connects."""

import math
from collections.abc import Sequence

from azjax.games.grid import EMPTY
from azjax.page.boards import svg
from azjax.page.boards.kinds.cells import CellBoard
from azjax.page.boards.kinds.stones import CELL, render_labels
from azjax.page.boards.svg import Attributes, Box

_SIDE = CELL / math.sqrt(3)  # of a hexagon, whose width is CELL
# The corners of a hexagon from its middle, clockwise from the top.
_TOP, _BOTTOM = (0.0, -_SIDE), (0.0, _SIDE)
_UPPER_LEFT, _UPPER_RIGHT = (-CELL / 2, -_SIDE / 2), (CELL / 2, -_SIDE / 2)
_LOWER_LEFT, _LOWER_RIGHT = (-CELL / 2, _SIDE / 2), (CELL / 2, _SIDE / 2)
_CORNERS = (_TOP, _UPPER_RIGHT, _LOWER_RIGHT, _BOTTOM, _LOWER_LEFT, _UPPER_LEFT)
_COLUMN_NAME, _ROW_NAME = (-47.0, -82.0), (-96.0, 0.0)  # from the middle of a cell at the border
_LABELS, _MARGIN = 76, 24


class RhombusBoard(CellBoard):
    """A board of hexagons, each row half a cell to the right of the one above."""

    stone_radius = 0.38 * CELL

    def __init__(self, size: int):
        """Takes the number of rows."""
        super().__init__(size, size)

    @property
    def box(self) -> Box:
        right, bottom = self.centre(self.num_cells - 1)
        left, top = -CELL / 2 - _LABELS, -_SIDE - _LABELS + _MARGIN
        right, bottom = right + CELL / 2 + _MARGIN, bottom + _SIDE + _MARGIN
        return Box(left, top, right - left, bottom - top)

    def centre(self, cell: int) -> tuple[float, float]:
        row, column = divmod(cell, self.columns)
        return (column + row / 2) * CELL, row * 1.5 * _SIDE

    def last_cell(self, action: int, owners: Sequence[int]) -> int | None:
        if self.has_place(action):
            return action
        return next(cell for cell, owner in enumerate(owners) if owner != EMPTY)  # after a swap

    def render_ground(self) -> str:
        cells = range(self.num_cells)
        top, bottom = cells[: self.columns], cells[-self.columns :]
        left, right = cells[:: self.columns], cells[self.columns - 1 :: self.columns]
        top_edge = self._around(top, [_UPPER_LEFT, _TOP, _UPPER_RIGHT])
        bottom_edge = self._around(bottom, [_LOWER_LEFT, _BOTTOM, _LOWER_RIGHT])
        left_edge = self._around(left, [_UPPER_LEFT, _LOWER_LEFT])
        right_edge = self._around(right, [_UPPER_RIGHT, _LOWER_RIGHT])
        hexagons = [self._around([cell], _CORNERS) for cell in cells]
        return "".join(
            [
                svg.path([top_edge, bottom_edge], {"class": "edge first"}),
                svg.path([left_edge, right_edge], {"class": "edge second"}),
                svg.path(hexagons, {"class": "cell"}, closed=True),
                render_labels(self.column_names, self._around(top, [_COLUMN_NAME])),
                render_labels(self.row_names, self._around(left, [_ROW_NAME])),
            ]
        )

    def render_outline(self, cell: int, attributes: Attributes) -> str:
        return svg.path([self._around([cell], _CORNERS)], attributes, closed=True)

    def _around(
        self, cells: Sequence[int], offsets: Sequence[tuple[float, float]]
    ) -> list[tuple[float, float]]:
        """Returns points at offsets from the middle of each cell."""
        return [(x + dx, y + dy) for x, y in map(self.centre, cells) for dx, dy in offsets]
