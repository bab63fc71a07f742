"""Connect Four's frame: a stone falls down a column."""

from collections.abc import Sequence

from azjax.games.grid import EMPTY
from azjax.page.boards import svg
from azjax.page.boards.kinds.squares import SquareBoard
from azjax.page.boards.kinds.stones import CELL, render_disc, render_labels
from azjax.page.boards.scene import Scene
from azjax.page.boards.svg import Box
from azjax.page.boards.targets import illegal_attributes, move_attributes

_RIM, _NAMES, _ABOVE = 14, 42, 74  # around the cells; to the columns' names; to the upper end


class ColumnBoard(SquareBoard):
    """A frame with holes: an action is a column, and the whole column can be clicked."""

    @property
    def box(self) -> Box:
        width, height = self.columns * CELL, self.rows * CELL
        return Box(-_RIM, -_ABOVE, width + 2 * _RIM, height + _ABOVE + _RIM)

    @property
    def names(self) -> list[str]:
        """The numbers of the columns."""
        return [str(column + 1) for column in range(self.columns)]

    def has_place(self, action: int) -> bool:
        return action < self.columns

    def cell_of(self, action: int, owners: Sequence[int]) -> int:
        return (self._num_empty(action, owners) - 1) * self.columns + action

    def last_cell(self, action: int, owners: Sequence[int]) -> int | None:
        return self.cell_of(action, owners) + self.columns if self.has_place(action) else None

    def render_ground(self) -> str:
        width, height = self.columns * CELL, self.rows * CELL
        frame = Box(-_RIM, -_RIM, width + 2 * _RIM, height + 2 * _RIM)
        holes = (
            svg.circle(*self.centre(cell), self.stone_radius, {"class": "hole"})
            for cell in range(self.num_cells)
        )
        places = [(self.centre(column)[0], -_NAMES) for column in range(self.columns)]
        names = render_labels(self.names, places)
        return "".join([svg.rectangle(frame, {"class": "frame", "rx": 24}), *holes, names])

    def render_hints(self, scene: Scene, owners: Sequence[int]) -> str:
        del scene, owners
        return ""  # a column with a hole can be played

    def render_targets(self, scene: Scene, owners: Sequence[int]) -> list[str]:
        is_legal = set(scene.legal)
        targets = []
        for column, name in enumerate(self.names):
            box = Box(column * CELL, -_ABOVE, CELL, self.rows * CELL + _ABOVE)
            if column not in is_legal:
                targets.append(svg.rectangle(box, illegal_attributes(name, "target")))
                continue
            ghost = render_disc(
                *self.centre(self.cell_of(column, owners)),
                self.stone_radius,
                scene.mover,
                classes="ghost",
            )
            attributes = move_attributes(scene, column, "column")
            targets.append(
                svg.group(attributes, [svg.rectangle(box, {"class": "target", "rx": 14}), ghost])
            )
        return targets

    def explain(self, scene: Scene, name: str) -> str | None:
        del scene
        return f"Column {name} is full." if name in self.names else None

    def _num_empty(self, column: int, owners: Sequence[int]) -> int:
        return owners[column :: self.columns].count(EMPTY)
