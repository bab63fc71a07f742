"""Quixo's cubes: a first click takes a cube, a second one chooses where it goes back in."""

from collections.abc import Mapping

from azjax.games.grid import EMPTY
from azjax.page.boards import svg
from azjax.page.boards.kinds.board import Board
from azjax.page.boards.kinds.cube_places import BAND, CubePlaces, Push, read_push
from azjax.page.boards.kinds.stones import CELL, render_labels, render_sign
from azjax.page.boards.overlays import Spot, render_badges, render_heat, render_pointed
from azjax.page.boards.scene import Scene
from azjax.page.boards.svg import Attributes, Box
from azjax.page.boards.targets import PLAYERS, cube_attributes, illegal_attributes, move_attributes
from azjax.page.boards.winning_line import winning_cells

_LABELS, _MARGIN = 34, 4  # outside the arrows: at the left and above; at the right and below
_RADIUS = 40  # of the place of a weight
_ROUND = 12  # radius of a cube's corners


class CubeBoard(Board):
    """A board of cubes, with an arrow at each end where the taken cube can go in."""

    def __init__(self, size: int):
        """Takes the number of rows."""
        self.size, self._places = size, CubePlaces(size)

    def has_place(self, action: int) -> bool:
        del action
        return True

    def render(self, scene: Scene) -> str:
        pushes = {action: read_push(scene.name(action)) for action in scene.legal}
        open_cubes = {self._places.cube(push) for push in pushes.values()}
        ends: dict[int, Push] = {}  # of the cube that is taken
        targets = ""
        if scene.marks.is_clickable:
            ends = {
                action: push
                for action, push in pushes.items()
                if self._places.cube(push) == scene.marks.taken
            }
            targets = self._render_targets(scene, open_cubes, ends)
        layers = [
            self._render_labels(),
            self._render_cubes(scene, open_cubes, scene.marks.taken if ends else None),
            self._render_last(scene),
            self._render_won(scene),
            targets,
            *(self._render_pointed(action, push) for action, push in pushes.items()),
            self._render_ends(scene, ends) if ends else self._render_sums(scene, pushes),
        ]
        before, length = -BAND - _LABELS, self.size * CELL + 2 * BAND + _LABELS + _MARGIN
        box = Box(before, before, length, length)
        return svg.picture(box, f"Board of {scene.game.name}", layers)

    def explain(self, scene: Scene, name: str) -> str | None:
        cells = {self._places.name(cell): cell for cell in range(self.size**2)}
        if name not in cells:
            return None
        if not {0, self.size - 1} & set(divmod(cells[name], self.size)):
            return f"The cube at {name} is not on the border."
        owner = scene.owners(self.size, self.size)[cells[name]]
        return f"The cube at {name} is the opponent's." if owner == 1 - scene.mover else None

    def _render_labels(self) -> str:
        names = [str(i) for i in range(self.size)]
        middles = [self._places.centre(i)[0] for i in range(self.size)]
        distance = -BAND - _LABELS / 2
        above, beside = [(x, distance) for x in middles], [(distance, y) for y in middles]
        return render_labels(names, above) + render_labels(names, beside)

    def _render_cubes(self, scene: Scene, open_cubes: set[int], taken: int | None) -> str:
        cubes = []
        for cell, owner in enumerate(scene.owners(self.size, self.size)):
            is_open = cell in open_cubes and scene.marks.is_clickable
            kind = "taken" if cell == taken else "open" if is_open else ""
            cubes.append(svg.rectangle(self._places.square(cell), _rounded(f"cube {kind}")))
            if owner != EMPTY:
                cubes.append(render_sign(*self._places.centre(cell), owner))
        return "".join(cubes)

    def _render_last(self, scene: Scene) -> str:
        """Returns the mark of the cube that was pushed in last, with an arrow at its end."""
        if scene.marks.last is None:
            return ""
        push = read_push(scene.name(scene.marks.last))
        tint = _rounded(f"tint {PLAYERS[1 - scene.mover]}")
        square = svg.rectangle(self._places.square(self._places.inserted(push)), tint)
        return svg.group({"class": "last"}, [square, self._places.render_arrow(push)])

    def _render_won(self, scene: Scene) -> str:
        """Returns the marks of the cubes in the winning line."""
        owners = scene.owners(self.size, self.size)
        return "".join(
            svg.rectangle(self._places.square(cell), _rounded(f"won tint {PLAYERS[owners[cell]]}"))
            for cell in winning_cells(scene, owners)
        )

    def _render_targets(self, scene: Scene, open_cubes: set[int], ends: Mapping[int, Push]) -> str:
        targets = []
        for cell in range(self.size**2):
            name = self._places.name(cell)
            attributes = (
                cube_attributes(cell, name, "target")
                if cell in open_cubes
                else illegal_attributes(name, "target")
            )
            square = self._places.square(cell)
            targets.append(svg.rectangle(square, {**attributes, "rx": _ROUND}))
        for action, push in ends.items():
            x, y = self._places.end(push, BAND / 2)
            touch = svg.rectangle(Box(x - BAND / 2, y - BAND / 2, BAND, BAND), _rounded("target"))
            shapes = [touch, self._places.render_arrow(push)]
            targets.append(svg.group(move_attributes(scene, action, "end"), shapes))
        return svg.group({"class": PLAYERS[scene.mover]}, targets)

    def _render_pointed(self, action: int, push: Push) -> str:
        cube = self._places.cube(push)
        square = svg.rectangle(self._places.square(cube), {"rx": _ROUND})
        line = svg.path([[self._places.centre(cube), self._places.end(push, 0)]], {})
        return render_pointed(action, square, line, self._places.render_arrow(push))

    def _render_ends(self, scene: Scene, ends: Mapping[int, Push]) -> str:
        """Returns weights and exact values where the taken cube can go in."""
        spots = {
            action: Spot(*self._places.end(push, -CELL / 2), _RADIUS)
            for action, push in ends.items()
        }
        return render_heat(spots, scene.marks.weights) + render_badges(spots, scene.marks.exact)

    def _render_sums(self, scene: Scene, pushes: Mapping[int, Push]) -> str:
        """Returns for each cube the sum of the weights of its moves, and their best value."""
        marks = scene.marks
        weights: dict[int, float] = {}
        exact: dict[int, int] = {}
        for action, push in pushes.items():
            cube = self._places.cube(push)
            weights[cube] = weights.get(cube, 0.0) + marks.weights.get(action, 0.0)
            if action in marks.exact:
                exact[cube] = max(exact.get(cube, -1), marks.exact[action])
        spots = {cube: Spot(*self._places.centre(cube), _RADIUS) for cube in weights}
        return render_heat(spots, weights) + render_badges(spots, exact)


def _rounded(classes: str) -> Attributes:
    return {"class": classes.strip(), "rx": _ROUND}
