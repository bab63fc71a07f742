"""Stones and signs of the two players, and the coordinates beside a board."""

from collections.abc import Iterable, Sequence

from azjax.page.boards import svg
from azjax.page.boards.targets import PLAYERS

CELL = 100  # the width of a cell; coordinates and styles are in the same unit
_REACH = 27  # of a sign, from its middle


def render_disc(x: float, y: float, radius: float, owner: int, classes: str = "stone") -> str:
    """Returns a stone of a player."""
    return svg.circle(x, y, radius, {"class": f"{classes} disc {PLAYERS[owner]}"})


def render_sign(x: float, y: float, owner: int) -> str:
    """Returns the X of player 0, or the O of player 1."""
    attributes = {"class": f"stone sign {PLAYERS[owner]}"}
    if owner == 1:
        return svg.circle(x, y, _REACH, attributes)
    return svg.path(cross(x, y, _REACH), attributes)


def cross(x: float, y: float, reach: float) -> list[list[tuple[float, float]]]:
    """Returns the two lines of a diagonal cross."""
    left, right, top, bottom = x - reach, x + reach, y - reach, y + reach
    return [[(left, top), (right, bottom)], [(left, bottom), (right, top)]]


def render_labels(names: Sequence[str], places: Iterable[tuple[float, float]]) -> str:
    """Returns the names of rows or columns."""
    return "".join(
        svg.text(x, y, name, {"class": "coordinate"})
        for name, (x, y) in zip(names, places, strict=True)
    )
