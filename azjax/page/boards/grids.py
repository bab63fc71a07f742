"""Boards of squares, points, columns and hexagons."""

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence

from azjax.games.grid import EMPTY
from azjax.page.boards import svg
from azjax.page.boards.board import CELL, PLAYERS, Scene, cross, illegal, render_disc, render_sign
from azjax.page.boards.cells import CellBoard
from azjax.page.boards.svg import Attributes, Box, Point

_GO_LETTERS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"


class SquareBoard(CellBoard):
    """A board with stones on squares."""

    _labels, _margin = 60, 20  # at the left and above; at the right and below
    _names = 32  # from the board to the middle of the names

    @property
    def box(self) -> Box:
        width, height, around = *self._size, self._labels + self._margin
        return Box(-self._labels, -self._labels, width + around, height + around)

    @property
    def _size(self) -> tuple[int, int]:
        return self.columns * CELL, self.rows * CELL

    def centre(self, cell: int) -> Point:
        row, column = divmod(cell, self.columns)
        return (column + 0.5) * CELL, (row + 0.5) * CELL

    def render_ground(self) -> str:
        width, height = self._size
        lines = [[(x, 0), (x, height)] for x in range(CELL, width, CELL)]
        lines += [[(0, y), (width, y)] for y in range(CELL, height, CELL)]
        return self._render_ground(svg.path(lines, {"class": "line"}))

    def _render_ground(self, lines: str) -> str:
        """Returns the ground with its lines, the columns' names above and the rows' at the left."""
        ground = svg.rectangle(Box(0, 0, *self._size), {"class": "ground", "rx": 10})
        columns = [(self.centre(cell)[0], -self._names) for cell in range(self.columns)]
        rows = [(-self._names, self.centre(row * self.columns)[1]) for row in range(self.rows)]
        names = svg.labels(self.column_names, columns) + svg.labels(self.row_names, rows)
        return ground + lines + names

    def render_outline(self, cell: int, attributes: Attributes) -> str:
        row, column = divmod(cell, self.columns)
        return svg.rectangle(Box(column * CELL, row * CELL, CELL, CELL), attributes)


class SignBoard(SquareBoard):
    """A board with the signs X and O on squares."""

    sides = ("X", "O")

    def render_stone(self, cell: int, owner: int) -> str:
        return render_sign(*self.centre(cell), owner)

    def render_last(self, cell: int, owner: int) -> str:
        return self.render_outline(cell, {"class": f"last tint {PLAYERS[owner]}"})

    def render_won(self, cell: int, owner: int) -> str:
        return self.render_outline(cell, {"class": f"won tint {PLAYERS[owner]}"})


class OthelloBoard(SquareBoard):
    """A green board with black and white discs."""

    sides, theme = ("Black", "White"), "green"


class PointBoard(SquareBoard):
    """A board of lines, with stones on the points where they cross.

    Empty points that cannot be played are crossed out.
    """

    sides, theme = ("Black", "White"), "wood"
    stone_radius = 0.46 * CELL
    _touch, _star, _cross = 48, 9, 12  # radii

    def render_ground(self) -> str:
        points = [self.centre(cell) for cell in range(self.num_cells)]
        top_row, left_column = points[: self.columns], points[:: self.columns]
        bottom_row, right_column = points[-self.columns :], points[self.columns - 1 :: self.columns]
        lines = zip(top_row + left_column, bottom_row + right_column, strict=True)
        stars = (svg.circle(*points[x], self._star, {"class": "star"}) for x in self._stars())
        return self._render_ground("".join([svg.path(lines, {"class": "line"}), *stars]))

    def render_outline(self, cell: int, attributes: Attributes) -> str:
        return svg.circle(*self.centre(cell), self._touch, attributes)

    def render_hints(self, scene: Scene, owners: Sequence[int]) -> str:
        if not scene.legal:
            return ""
        is_legal = set(scene.legal)
        closed = (x for x, owner in enumerate(owners) if owner == EMPTY and x not in is_legal)
        lines = [line for cell in closed for line in cross(*self.centre(cell), self._cross)]
        return svg.path(lines, {"class": "closed"}) if lines else ""

    def _stars(self) -> list[int]:
        """Returns the points that are marked for orientation."""
        rows, columns = _star_lines(self.rows), _star_lines(self.columns)
        stars = set(itertools.product(rows, columns))
        if self.rows % 2 and self.columns % 2:
            row, column = self.rows // 2, self.columns // 2
            stars.add((row, column))
            if min(self.rows, self.columns) >= 17:
                stars.update(itertools.product(rows, [column]), itertools.product([row], columns))
        return [row * self.columns + column for row, column in sorted(stars)]


def _star_lines(length: int) -> list[int]:
    """Returns the two rows, or columns, that the stars in the corners are on."""
    first = 3 if length >= 13 else 2
    return [first, length - 1 - first] if length >= 9 else []


class GoBoard(PointBoard):
    """Go's board, whose columns have no I, and whose rows count from the bottom."""

    def __init__(self, rows: int, columns: int, closed: str):
        super().__init__(rows, columns, closed)
        if columns < len(_GO_LETTERS) + 1:
            self.column_names = _GO_LETTERS[:columns]
            self.row_names = self.row_names[::-1]


class ColumnBoard(SquareBoard):
    """Connect Four's frame with holes: a stone falls down a column, which is clickable as a whole.

    An action is a column.
    """

    sides, theme = ("Red", "Yellow"), "columns"
    _rim, _names, _above = 14, 42, 74  # around the cells; to the names; to the upper end

    @property
    def box(self) -> Box:
        width, height = self._size
        return Box(
            -self._rim, -self._above, width + 2 * self._rim, height + self._above + self._rim
        )

    @property
    def _column_numbers(self) -> list[str]:
        return [str(column + 1) for column in range(self.columns)]

    def has_place(self, action: int) -> bool:
        return action < self.columns

    def cell_of(self, action: int, owners: Sequence[int]) -> int:
        num_empty = owners[action :: self.columns].count(EMPTY)
        return (num_empty - 1) * self.columns + action

    def last_cell(self, action: int, owners: Sequence[int]) -> int | None:
        return self.cell_of(action, owners) + self.columns if self.has_place(action) else None

    def render_ground(self) -> str:
        places = [(self.centre(column)[0], -self._names) for column in range(self.columns)]
        names = svg.labels(self._column_numbers, places)
        return svg.rectangle(Box(0, 0, *self._size), {"class": "hole"}) + names

    def render_stones(self, stones: Mapping[int, int], last: int | None, age: float) -> str:
        """Returns the stones behind the frame; the last one falls."""
        still = {cell: owner for cell, owner in stones.items() if cell != last or age > 1}
        falling = [self._render_fall(cell, stones[cell], age) for cell in stones.keys() - still]
        return super().render_stones(still, None, age) + "".join(falling) + self._render_frame()

    def _render_fall(self, cell: int, owner: int, age: float) -> str:
        style = f"--drop:{-self.centre(cell)[1] - CELL:g}px;animation-delay:{-age:.2f}s"
        return svg.group({"class": "fall", "style": style}, [self.render_stone(cell, owner)])

    def _render_frame(self) -> str:
        (width, height), radius = self._size, self.stone_radius
        arc = f"a{radius:g} {radius:g} 0 1 0"
        holes = (
            f"M{x - radius:g} {y:g}{arc} {2 * radius:g} 0{arc} {-2 * radius:g} 0Z"
            for x, y in map(self.centre, range(self.num_cells))
        )
        rim = self._rim
        path = f"M{-rim} {-rim}h{width + 2 * rim}v{height + 2 * rim}h{-width - 2 * rim}Z"
        return svg.element(
            "path", {"class": "frame", "fill-rule": "evenodd", "d": path + "".join(holes)}
        )

    def render_hints(self, scene: Scene, owners: Sequence[int]) -> str:
        del scene, owners
        return ""  # a column with a hole can be played

    def render_targets(self, scene: Scene, owners: Sequence[int]) -> Iterable[str]:
        is_legal = set(scene.legal)
        for column, name in enumerate(self._column_numbers):
            box = Box(column * CELL, -self._above, CELL, self.rows * CELL + self._above)
            if column not in is_legal:
                yield svg.rectangle(box, illegal(name, "target"))
                continue
            place = self.centre(self.cell_of(column, owners))
            ghost = render_disc(*place, self.stone_radius, scene.mover, classes="ghost")
            shapes = [svg.rectangle(box, {"class": "target", "rx": 14}), ghost]
            yield svg.group(scene.move(column, "column"), shapes)

    def explain(self, scene: Scene, name: str) -> str | None:
        del scene
        return f"Column {name} is full." if name in self._column_numbers else None


_SIDE = CELL / math.sqrt(3)  # of a hexagon, whose width is CELL
# The corners of a hexagon from its middle, clockwise from the top.
_TOP, _BOTTOM = (0.0, -_SIDE), (0.0, _SIDE)
_UPPER_LEFT, _UPPER_RIGHT = (-CELL / 2, -_SIDE / 2), (CELL / 2, -_SIDE / 2)
_LOWER_LEFT, _LOWER_RIGHT = (-CELL / 2, _SIDE / 2), (CELL / 2, _SIDE / 2)
_CORNERS = (_TOP, _UPPER_RIGHT, _LOWER_RIGHT, _BOTTOM, _LOWER_LEFT, _UPPER_LEFT)
_COLUMN_NAME, _ROW_NAME = (-47.0, -82.0), (-96.0, 0.0)  # from the middle of a cell at the border


class RhombusBoard(CellBoard):
    """Hex's rhombus of hexagons, each row half a cell to the right of the one above.

    The edges have the colour of the player who connects them.
    """

    stone_radius = 0.38 * CELL
    _labels, _margin = 76, 24

    @property
    def box(self) -> Box:
        right, bottom = self.centre(self.num_cells - 1)
        left, top = -CELL / 2 - self._labels, -_SIDE - self._labels + self._margin
        right, bottom = right + CELL / 2 + self._margin, bottom + _SIDE + self._margin
        return Box(left, top, right - left, bottom - top)

    def centre(self, cell: int) -> Point:
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
        layers = [
            svg.path([top_edge, bottom_edge], {"class": "edge first"}),
            svg.path([left_edge, right_edge], {"class": "edge second"}),
            svg.path(hexagons, {"class": "cell"}, closed=True),
            svg.labels(self.column_names, self._around(top, [_COLUMN_NAME])),
            svg.labels(self.row_names, self._around(left, [_ROW_NAME])),
        ]
        return "".join(layers)

    def render_outline(self, cell: int, attributes: Attributes) -> str:
        return svg.path([self._around([cell], _CORNERS)], attributes, closed=True)

    def _around(self, cells: Sequence[int], offsets: Sequence[Point]) -> list[Point]:
        """Returns points at offsets from the middle of each cell."""
        return [(x + dx, y + dy) for x, y in map(self.centre, cells) for dx, dy in offsets]
