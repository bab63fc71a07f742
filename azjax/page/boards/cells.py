"""Boards of cells, each with a stone or none, and the line that has won."""

import abc
import string
from collections.abc import Iterable, Mapping, Sequence

from azjax.games import grid
from azjax.games.grid import EMPTY
from azjax.games.line_game import LineGame
from azjax.games.quixo import Quixo
from azjax.page.analysis.rules import move_name
from azjax.page.boards import svg
from azjax.page.boards.board import (
    CELL,
    Board,
    Scene,
    Spot,
    illegal,
    render_disc,
    render_pointed,
    render_values,
)
from azjax.page.boards.svg import Attributes, Box, Point

_DOT, _HINT = 12, 11  # radii
_STEPS = ((0, 1), (1, 0), (1, 1), (1, -1))  # rows and columns from a cell of a line to the next


class CellBoard(Board):
    """A board on whose cells stones are placed: an action is a cell, or has no place."""

    sides = ("Blue", "Orange")
    stone_radius = 0.4 * CELL

    def __init__(self, rows: int, columns: int, closed: str = ""):
        """Takes the size, and why an empty cell cannot be played, nothing if it always can."""
        self.rows, self.columns, self._closed = rows, columns, closed
        self.num_cells = rows * columns
        self.column_names = string.ascii_lowercase[:columns]
        self.row_names = [str(row + 1) for row in range(rows)]

    @property
    @abc.abstractmethod
    def box(self) -> Box:
        """What the picture shows."""

    @abc.abstractmethod
    def centre(self, cell: int) -> Point:
        """Returns the middle of a cell."""

    @abc.abstractmethod
    def render_ground(self) -> str:
        """Returns what is below the stones."""

    @abc.abstractmethod
    def render_outline(self, cell: int, attributes: Attributes) -> str:
        """Returns the part of the picture that belongs to a cell."""

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
        owners, marks = scene.owners(self.rows, self.columns), scene.marks
        spots = {
            action: Spot(*self.centre(self.cell_of(action, owners)), self.stone_radius)
            for action in scene.legal
            if self.has_place(action)
        }
        last = None if marks.last is None else self.last_cell(marks.last, owners)
        stones = {cell: owner for cell, owner in enumerate(owners) if owner != EMPTY}
        layers = [
            self.render_ground(),
            self.render_stones(stones, last, marks.age),
            "" if last is None else self.render_last(last, owners[last]),
            *(self.render_won(cell, owners[cell]) for cell in winning_cells(scene, owners)),
            self.render_hints(scene, owners) if marks.is_clickable else "",
            scene.targets(self.render_targets(scene, owners)),
            *(render_pointed(action, svg.circle(*spot, {})) for action, spot in spots.items()),
            render_values(spots, marks),
        ]
        return scene.picture(self.box, layers, self.theme)

    def render_stones(self, stones: Mapping[int, int], last: int | None, age: float) -> str:
        """Returns the stones by their cells; the last one is so many seconds old."""
        del last, age
        return "".join(self.render_stone(cell, owner) for cell, owner in stones.items())

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
        empty = {cell for cell, owner in enumerate(owners) if owner == EMPTY}
        open_cells = empty.intersection(scene.legal)
        if open_cells == empty:
            return ""
        places = map(self.centre, sorted(open_cells))
        return "".join(svg.circle(*place, _HINT, {"class": "hint"}) for place in places)

    def render_targets(self, scene: Scene, owners: Sequence[int]) -> Iterable[str]:
        """Returns what can be clicked."""
        del owners
        is_legal = set(scene.legal)
        for cell in range(self.num_cells):
            name = grid.format_cell(cell, self.columns)
            attributes = scene.move(cell, "target") if cell in is_legal else illegal(name, "target")
            yield self.render_outline(cell, attributes)

    def explain(self, scene: Scene, name: str) -> str | None:
        try:
            cell = grid.parse_cell(name, self.rows, self.columns)
        except ValueError:
            return None
        name = move_name(scene.game, cell)
        if scene.owners(self.rows, self.columns)[cell] != EMPTY:
            return f"{name} is occupied."
        return f"{name} {self._closed}." if self._closed else None


def winning_cells(scene: Scene, owners: Sequence[int]) -> list[int]:
    """Returns the cells of the winner's lines; none in an unfinished game, or in another one."""
    match scene.game:
        case LineGame(rows=rows, columns=columns, length=length):
            pass
        case Quixo(size=rows):
            columns = length = rows
        case _:
            return []
    winners = [player for player in (0, 1) if scene.state.rewards[player] > 0]
    return cells_in_lines(owners, rows, columns, length, winners[0]) if winners else []


def cells_in_lines(
    owners: Sequence[int], rows: int, columns: int, length: int, player: int
) -> list[int]:
    """Returns the cells that are in a line of at least so many stones of a player, in order."""
    found: set[int] = set()
    for first in range(rows * columns):
        row, column = divmod(first, columns)
        for down, right in _STEPS:
            last_row, last_column = row + (length - 1) * down, column + (length - 1) * right
            if last_row < rows and 0 <= last_column < columns:
                line = [first + i * (down * columns + right) for i in range(length)]
                if all(owners[cell] == player for cell in line):
                    found.update(line)
    return sorted(found)
