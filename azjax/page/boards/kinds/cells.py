"""Boards of cells, each with a stone or none."""

import abc
import string
from collections.abc import Sequence

from azjax.games import grid
from azjax.games.grid import EMPTY
from azjax.page.boards import svg
from azjax.page.boards.kinds.board import Board
from azjax.page.boards.kinds.stones import CELL, render_disc
from azjax.page.boards.overlays import Spot, render_badges, render_heat, render_rings
from azjax.page.boards.scene import Scene
from azjax.page.boards.svg import Attributes, Box
from azjax.page.boards.targets import PLAYERS, illegal_attributes, move_attributes
from azjax.page.boards.winning_line import winning_cells

_DOT, _HINT = 12, 11  # radii


class CellBoard(Board):
    """A board on whose cells stones are placed: an action is a cell, or has no place."""

    stone_radius = 0.4 * CELL

    def __init__(self, rows: int, columns: int, closed: str = ""):
        """Takes the size.

        Args:
          rows: The number of rows.
          columns: The number of columns.
          closed: Why an empty cell cannot be played, as in `is closed`; nothing if it always can.
        """
        self.rows, self.columns, self._closed = rows, columns, closed

    @property
    @abc.abstractmethod
    def box(self) -> Box:
        """What the picture shows."""

    @abc.abstractmethod
    def centre(self, cell: int) -> tuple[float, float]:
        """Returns the middle of a cell."""

    @abc.abstractmethod
    def render_ground(self) -> str:
        """Returns what is below the stones."""

    @abc.abstractmethod
    def render_outline(self, cell: int, attributes: Attributes) -> str:
        """Returns the part of the picture that belongs to a cell."""

    @property
    def num_cells(self) -> int:
        """The number of cells."""
        return self.rows * self.columns

    @property
    def column_names(self) -> str:
        """The letters of the columns."""
        return string.ascii_lowercase[: self.columns]

    @property
    def row_names(self) -> list[str]:
        """The numbers of the rows."""
        return [str(row + 1) for row in range(self.rows)]

    def has_place(self, action: int) -> bool:
        return action < self.num_cells

    def cell_of(self, action: int, owners: Sequence[int]) -> int:
        """Returns the cell that a legal move fills."""
        del owners
        return action

    def last_cell(self, action: int, owners: Sequence[int]) -> int | None:
        """Returns the cell that the last move has filled, if it has filled any."""
        del owners
        return action if self.has_place(action) else None

    def render(self, scene: Scene) -> str:
        owners = scene.owners(self.rows, self.columns)
        spots = {
            action: Spot(*self.centre(self.cell_of(action, owners)), self.stone_radius)
            for action in scene.legal
            if self.has_place(action)
        }
        hints = targets = ""
        if scene.marks.is_clickable:
            hints = self.render_hints(scene, owners)
            mover = {"class": PLAYERS[scene.mover]}
            targets = svg.group(mover, self.render_targets(scene, owners))
        layers = [
            self.render_ground(),
            *(
                self.render_stone(cell, owner)
                for cell, owner in enumerate(owners)
                if owner != EMPTY
            ),
            self._render_last(scene, owners),
            *(self.render_won(cell, owners[cell]) for cell in winning_cells(scene, owners)),
            hints,
            targets,
            render_rings(spots),
            render_heat(spots, scene.marks.weights),
            render_badges(spots, scene.marks.exact),
        ]
        return svg.picture(self.box, f"Board of {scene.game.name}", layers)

    def render_stone(self, cell: int, owner: int) -> str:
        """Returns a stone on a cell."""
        return render_disc(*self.centre(cell), self.stone_radius, owner)

    def render_last(self, cell: int, owner: int) -> str:
        """Returns the mark of the last stone."""
        del owner
        return svg.circle(*self.centre(cell), _DOT, {"class": "last dot"})

    def render_won(self, cell: int, owner: int) -> str:
        """Returns the mark of a stone in the winning line."""
        del owner
        return svg.circle(*self.centre(cell), self.stone_radius, {"class": "won ring"})

    def render_hints(self, scene: Scene, owners: Sequence[int]) -> str:
        """Returns a dot on each cell that can be played, where some empty cells cannot."""
        is_legal = set(scene.legal)
        empty = [cell for cell, owner in enumerate(owners) if owner == EMPTY]
        if is_legal.issuperset(empty):
            return ""
        return "".join(
            svg.circle(*self.centre(cell), _HINT, {"class": "hint"})
            for cell in empty
            if cell in is_legal
        )

    def render_targets(self, scene: Scene, owners: Sequence[int]) -> list[str]:
        """Returns what can be clicked."""
        del owners
        is_legal = set(scene.legal)
        return [
            self.render_outline(
                cell,
                move_attributes(scene, cell, "target")
                if cell in is_legal
                else illegal_attributes(grid.format_cell(cell, self.columns), "target"),
            )
            for cell in range(self.num_cells)
        ]

    def explain(self, scene: Scene, name: str) -> str | None:
        try:
            cell = grid.parse_cell(name, self.rows, self.columns)
        except ValueError:
            return None
        if scene.owners(self.rows, self.columns)[cell] != EMPTY:
            return f"{name} is occupied."
        return f"{name} {self._closed}." if self._closed else None

    def _render_last(self, scene: Scene, owners: Sequence[int]) -> str:
        if scene.marks.last is None:
            return ""
        cell = self.last_cell(scene.marks.last, owners)
        return "" if cell is None else self.render_last(cell, owners[cell])
