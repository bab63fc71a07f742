"""What every kind of board has: a position to render, what is clicked, stones, and overlays."""

import abc
import dataclasses
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from azjax.games import Game, grid
from azjax.page.analysis.rules import move_name
from azjax.page.boards import svg
from azjax.page.boards.svg import Attributes, Box, Point
from azjax.page.values import VALUE_WORDS, describe_loss, loss_colour, value_colour, win_percent

CELL = 100  # the width of a cell; coordinates and styles are in the same unit
PLAYERS = ("first", "second")  # classes: the colours of player 0 and player 1
_REACH = 27  # of a sign, from its middle
_LEAST_SHARE = 0.01  # that is written as a number
_MOST_OPAQUE = 0.8  # a weight of 1
_SHARE = "#4d9078"
_BADGE = Box(-28, 22, 56, 24)  # around the middle of its place


Scale = Literal["share", "loss", "value"]


@dataclasses.dataclass(frozen=True)
class Marks:
    """What a board shows besides its stones."""

    last: int | None = None  # the action that led to the position
    weights: Mapping[int, float] = dataclasses.field(default_factory=dict)  # by action
    scale: Scale = "share"  # of the weights: 0 to 1; percent that a move loses; values
    best: int | None = None  # of the weights
    exact: Mapping[int, int] = dataclasses.field(default_factory=dict)  # by action, for the mover
    is_clickable: bool = True
    taken: int | None = None  # the cell of Quixo's cube that was clicked first
    age: float = 1.0  # seconds since the last move: a stone falls meanwhile


@dataclasses.dataclass(frozen=True, eq=False)
class Scene:
    """A position to render."""

    game: Game
    state: Any
    legal: Sequence[int]
    marks: Marks = Marks()

    @property
    def mover(self) -> int:
        """The player to move, 0 or 1."""
        return int(self.state.current_player)

    def owners(self, rows: int, columns: int) -> list[int]:
        """Returns the owner of each cell, 0, 1 or EMPTY, from the position in one line.

        Raises:
          ValueError: The line does not begin with the rows of a board and the side to move.
        """
        words = self.game.format_state(self.state).split()
        board, _ = grid.parse_board(" ".join(words[:2]), rows, columns)
        return board.reshape(-1).tolist()

    def picture(self, box: Box, layers: Iterable[str], theme: str = "") -> str:
        """Returns the image of the position, in the colours of a class."""
        return svg.picture(box, f"Board of {self.game.name}", layers, theme)

    def targets(self, elements: Iterable[str]) -> str:
        """Returns what can be clicked, in the colour of the player to move; nothing if none may."""
        if not self.marks.is_clickable:
            return ""
        return svg.group({"class": PLAYERS[self.mover]}, elements)

    def move(self, action: int, classes: str) -> Attributes:
        """Returns the attributes of an element of some classes that plays a legal move."""
        return {"data-move": action, **button(move_name(self.game, action), classes)}


def button(label: str, classes: str) -> Attributes:
    """Returns the attributes of an element that can be clicked, or pressed by the keyboard."""
    return {"class": f"move {classes}", "tabindex": 0, "role": "button", "aria-label": label}


def illegal(name: str, classes: str) -> Attributes:
    """Returns the attributes of an element that plays nothing: a click explains why."""
    return {"class": f"illegal {classes}", "data-illegal": name}


class Board(abc.ABC):
    """How the positions of a game are rendered; by default no move has a place on the board."""

    sides = ("X", "O")  # what players 0 and 1 are called
    theme = ""  # the class of its colours

    @abc.abstractmethod
    def render(self, scene: Scene) -> str:
        """Returns a position as an SVG element."""

    def has_place(self, action: int) -> bool:
        """Tells whether a move has a place on the board."""
        del action
        return False

    def explain(self, scene: Scene, name: str) -> str | None:
        """Returns why something cannot be played in an unfinished position; None if unknown."""
        del scene, name
        return None


def render_disc(x: float, y: float, radius: float, owner: int, classes: str = "stone") -> str:
    """Returns a stone of a player."""
    return svg.circle(x, y, radius, {"class": f"{classes} disc {PLAYERS[owner]}"})


def render_sign(x: float, y: float, owner: int) -> str:
    """Returns the X of player 0, or the O of player 1."""
    attributes = {"class": f"stone sign {PLAYERS[owner]}"}
    if owner == 1:
        return svg.circle(x, y, _REACH, attributes)
    return svg.path(cross(x, y, _REACH), attributes)


def cross(x: float, y: float, reach: float) -> list[list[Point]]:
    """Returns the two lines of a diagonal cross."""
    left, right, top, bottom = x - reach, x + reach, y - reach, y + reach
    return [[(left, top), (right, bottom)], [(left, bottom), (right, top)]]


class Spot(NamedTuple):
    """The place of a move."""

    x: float
    y: float
    radius: float


def render_values(spots: Mapping[int, Spot], marks: Marks) -> str:
    """Returns what moves are worth, at their places.

    A weight is a disc with its words; an exact value is a badge, `win`, `draw` or `loss`.
    """
    discs, shares, badges = [], [], []
    for key, spot in spots.items():
        weight = marks.weights.get(key)
        if weight is not None and (weight > 0 or marks.scale != "share"):
            colour, opacity, words = _paint(weight, marks.scale)
            words = "best" if key == marks.best else words
            attributes = {"class": "heat", "fill-opacity": f"{opacity:.3f}"}
            discs.append(svg.circle(*spot, {**attributes, "style": f"fill:{colour}"}))
            shares += [svg.text(spot.x, spot.y, words, {"class": "share"})] if words else []
        if key in marks.exact:
            badges.append(_render_badge(spot, VALUE_WORDS[marks.exact[key]]))
    return "".join(discs + shares + badges)


def _paint(weight: float, scale: Scale) -> tuple[str, float, str]:
    """Returns the colour, the opacity and the words of a weight."""
    if scale == "loss":
        return loss_colour(weight), _MOST_OPAQUE, describe_loss(weight)
    if scale == "value":
        return value_colour(weight), _MOST_OPAQUE, f"{win_percent(weight):.0f}%"
    share = min(weight, 1.0)
    return _SHARE, _MOST_OPAQUE * math.sqrt(share), f"{share:.0%}" if share >= _LEAST_SHARE else ""


def _render_badge(spot: Spot, word: str) -> str:
    left, top, width, height = _BADGE
    box = Box(spot.x + left, spot.y + top, width, height)
    words = svg.text(spot.x, spot.y + top + height / 2, word, {})
    return svg.group({"class": f"badge {word}"}, [svg.rectangle(box, {"rx": height / 2}), words])


def render_pointed(action: int, *shapes: str) -> str:
    """Returns the shapes that show a move while one points at it elsewhere."""
    return svg.group({"class": "pointed", "data-for": action}, shapes)
