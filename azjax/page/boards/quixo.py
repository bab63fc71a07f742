"""Quixo's cubes: a first click takes a cube, a second one chooses where it goes back in."""

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from azjax.games.grid import EMPTY
from azjax.page.boards import svg
from azjax.page.boards.board import (
    CELL,
    PLAYERS,
    Board,
    Scene,
    Spot,
    button,
    illegal,
    render_pointed,
    render_sign,
    render_values,
)
from azjax.page.boards.cells import winning_cells
from azjax.page.boards.svg import Attributes, Box, Point

_BAND = 66  # the width of the place of arrows, beside the board
_GAP = 10  # between cubes
_TIP, _BACK, _WING = 20, 14, 24  # of an arrow, from its middle
_INWARDS = {"L": (1, 0), "R": (-1, 0), "T": (0, 1), "B": (0, -1)}
_LABELS, _MARGIN = 34, 4  # outside the arrows: at the left and above; at the right and below
_RADIUS = 40  # of the place of a weight
_JOIN: Mapping[str, Callable[[Iterable[float]], float]]
_JOIN = {"share": sum, "loss": min, "value": max}  # by scale
_ROUND = 12  # radius of a cube's corners


class _Push(NamedTuple):
    """A move: which cube is taken, and at which end it goes in."""

    cube: int  # its cell
    end: str  # L, R, T or B


class CubeBoard(Board):
    """A board of cubes, with an arrow at each end where the taken cube can go in."""

    def __init__(self, size: int):
        self.size = size

    def has_place(self, action: int) -> bool:
        del action
        return True

    def render(self, scene: Scene) -> str:
        marks = scene.marks
        pushes = {action: self._push(scene, action) for action in scene.legal}
        open_cubes = {push.cube for push in pushes.values()}
        ends = {action: push for action, push in pushes.items() if push.cube == marks.taken}
        if not marks.is_clickable:
            ends, open_cubes = {}, set()
        layers = [
            self._render_labels(),
            *self._render_cubes(scene, open_cubes, marks.taken if ends else None),
            self._render_last(scene),
            *self._render_won(scene),
            scene.targets(self._render_targets(scene, open_cubes, ends)),
            *(self._render_pointed(action, push) for action, push in pushes.items()),
            self._render_ends(scene, ends) if ends else self._render_sums(scene, pushes),
        ]
        before, length = -_BAND - _LABELS, self.size * CELL + 2 * _BAND + _LABELS + _MARGIN
        return scene.picture(Box(before, before, length, length), layers)

    def explain(self, scene: Scene, name: str) -> str | None:
        cells = {self._name(cell): cell for cell in range(self.size**2)}
        if name not in cells:
            return None
        if not {0, self.size - 1} & set(divmod(cells[name], self.size)):
            return f"The cube at {name} is not on the border."
        owner = scene.owners(self.size, self.size)[cells[name]]
        return f"The cube at {name} is the opponent's." if owner == 1 - scene.mover else None

    def _push(self, scene: Scene, action: int) -> _Push:
        """Returns the push of a move, which the game writes as `0,4,B`."""
        row, column, end = scene.game.format_action(action).split(",")
        return _Push(int(row) * self.size + int(column), end)

    def _name(self, cell: int) -> str:
        """Returns a cell in the game's notation."""
        row, column = divmod(cell, self.size)
        return f"{row},{column}"

    def _centre(self, cell: int) -> Point:
        row, column = divmod(cell, self.size)
        return (column + 0.5) * CELL, (row + 0.5) * CELL

    def _render_square(self, cell: int, attributes: Attributes) -> str:
        (x, y), side = self._centre(cell), CELL - _GAP
        box = Box(x - side / 2, y - side / 2, side, side)
        return svg.rectangle(box, {**attributes, "rx": _ROUND})

    def _end(self, push: _Push, distance: float) -> Point:
        """Returns the point at a distance outside the board at the end where the cube goes in."""
        x, y = self._centre(push.cube)
        far = self.size * CELL + distance
        return {"L": (-distance, y), "R": (far, y), "T": (x, -distance), "B": (x, far)}[push.end]

    def _render_arrow(self, push: _Push) -> str:
        """Returns an arrow that points inwards at the end where the cube goes in."""
        x, y = self._end(push, _BAND / 2)
        right, down = _INWARDS[push.end]
        tip = (x + _TIP * right, y + _TIP * down)
        base_x, base_y = x - _BACK * right, y - _BACK * down
        wings = [(base_x + i * down, base_y + i * right) for i in (_WING, -_WING)]
        return svg.path([[tip, *wings]], {"class": "arrow"}, closed=True)

    def _render_labels(self) -> str:
        names = [str(i) for i in range(self.size)]
        middles = [self._centre(i)[0] for i in range(self.size)]
        distance = -_BAND - _LABELS / 2
        above, beside = [(x, distance) for x in middles], [(distance, y) for y in middles]
        return svg.labels(names, above) + svg.labels(names, beside)

    def _render_cubes(self, scene: Scene, open_cubes: set[int], taken: int | None) -> Iterable[str]:
        for cell, owner in enumerate(scene.owners(self.size, self.size)):
            kind = "taken" if cell == taken else "open" if cell in open_cubes else ""
            yield self._render_square(cell, {"class": f"cube {kind}".strip()})
            if owner != EMPTY:
                yield render_sign(*self._centre(cell), owner)

    def _render_last(self, scene: Scene) -> str:
        """Returns the mark of the cube that was pushed in last, with an arrow at its end."""
        if scene.marks.last is None:
            return ""
        push = self._push(scene, scene.marks.last)
        x, y = self._end(push, -CELL / 2)
        inserted = int(y // CELL) * self.size + int(x // CELL)
        tint = self._render_square(inserted, {"class": f"tint {PLAYERS[1 - scene.mover]}"})
        return svg.group({"class": "last"}, [tint, self._render_arrow(push)])

    def _render_won(self, scene: Scene) -> Iterable[str]:
        """Yields the marks of the cubes in the winning line."""
        owners = scene.owners(self.size, self.size)
        for cell in winning_cells(scene, owners):
            yield self._render_square(cell, {"class": f"won tint {PLAYERS[owners[cell]]}"})

    def _render_targets(
        self, scene: Scene, open_cubes: set[int], ends: Mapping[int, _Push]
    ) -> Iterable[str]:
        for cell in range(self.size**2):
            name = self._name(cell)
            take = {"data-cube": cell, **button(name, "target")}
            yield self._render_square(cell, take if cell in open_cubes else illegal(name, "target"))
        for action, push in ends.items():
            x, y = self._end(push, _BAND / 2)
            box = Box(x - _BAND / 2, y - _BAND / 2, _BAND, _BAND)
            touch = svg.rectangle(box, {"class": "target", "rx": _ROUND})
            yield svg.group(scene.move(action, "end"), [touch, self._render_arrow(push)])

    def _render_pointed(self, action: int, push: _Push) -> str:
        line = svg.path([[self._centre(push.cube), self._end(push, 0)]], {})
        square = self._render_square(push.cube, {})
        return render_pointed(action, square, line, self._render_arrow(push))

    def _render_ends(self, scene: Scene, ends: Mapping[int, _Push]) -> str:
        """Returns weights and exact values where the taken cube can go in."""
        spots = {x: Spot(*self._end(push, -CELL / 2), _RADIUS) for x, push in ends.items()}
        return render_values(spots, scene.marks)

    def _render_sums(self, scene: Scene, pushes: Mapping[int, _Push]) -> str:
        """Returns for each cube the sum of the shares of its moves, or what the best is worth."""
        marks = scene.marks
        weights: dict[int, float] = {}
        exact: dict[int, int] = {}
        for action, (cube, _) in pushes.items():
            if action in marks.weights:
                weight, join = marks.weights[action], _JOIN[marks.scale]
                weights[cube] = join((weights[cube], weight)) if cube in weights else weight
            if action in marks.exact:
                exact[cube] = max(exact.get(cube, -1), marks.exact[action])
        spots = {cube: Spot(*self._centre(cube), _RADIUS) for cube in weights | exact}
        best = None if marks.best is None else self._push(scene, marks.best).cube
        joined = dataclasses.replace(marks, weights=weights, exact=exact, best=best)
        return render_values(spots, joined)
