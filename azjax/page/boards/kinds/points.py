"""Boards of lines, with stones on the points where they cross."""

import itertools
from collections.abc import Sequence

from azjax.games.grid import EMPTY
from azjax.page.boards import svg
from azjax.page.boards.kinds.squares import SquareBoard
from azjax.page.boards.kinds.stones import CELL, cross
from azjax.page.boards.scene import Scene
from azjax.page.boards.svg import Attributes, Box

_TOUCH, _STAR, _CROSS = 48, 9, 12  # radii
_LEAST_CORNERS, _LEAST_FAR_CORNERS, _LEAST_SIDES = 9, 13, 17  # lines of a board with such stars


class PointBoard(SquareBoard):
    """A board with stones on points. Empty points that cannot be played are crossed out."""

    stone_radius = 0.46 * CELL

    def render_ground(self) -> str:
        points = [self.centre(cell) for cell in range(self.num_cells)]
        top_row, left_column = points[: self.columns], points[:: self.columns]
        bottom_row, right_column = points[-self.columns :], points[self.columns - 1 :: self.columns]
        lines = zip(top_row + left_column, bottom_row + right_column, strict=True)
        ground = Box(0, 0, self.columns * CELL, self.rows * CELL)
        return "".join(
            [
                svg.rectangle(ground, {"class": "ground", "rx": 10}),
                svg.path(lines, {"class": "line"}),
                *(svg.circle(*points[cell], _STAR, {"class": "star"}) for cell in self._stars()),
                self.render_coordinates(),
            ]
        )

    def render_outline(self, cell: int, attributes: Attributes) -> str:
        return svg.circle(*self.centre(cell), _TOUCH, attributes)

    def render_hints(self, scene: Scene, owners: Sequence[int]) -> str:
        if not scene.legal:
            return ""
        is_legal = set(scene.legal)
        closed = (
            cell for cell, owner in enumerate(owners) if owner == EMPTY and cell not in is_legal
        )
        lines = [line for cell in closed for line in cross(*self.centre(cell), _CROSS)]
        return svg.path(lines, {"class": "closed"}) if lines else ""

    def _stars(self) -> list[int]:
        """Returns the points that are marked for orientation."""
        rows, columns = _star_lines(self.rows), _star_lines(self.columns)
        stars = set(itertools.product(rows, columns))
        if self.rows % 2 and self.columns % 2:
            row, column = self.rows // 2, self.columns // 2
            stars.add((row, column))
            if min(self.rows, self.columns) >= _LEAST_SIDES:
                stars.update(itertools.product(rows, [column]), itertools.product([row], columns))
        return [row * self.columns + column for row, column in sorted(stars)]


def _star_lines(length: int) -> list[int]:
    """Returns the two rows, or columns, that the stars in the corners are on."""
    if length < _LEAST_CORNERS:
        return []
    first = 3 if length >= _LEAST_FAR_CORNERS else 2
    return [first, length - 1 - first]
