"""What is shown over the places of moves: weights, exact values, and the move pointed at."""

import math
from collections.abc import Mapping
from typing import NamedTuple

from azjax.page.boards import svg
from azjax.page.boards.svg import Box
from azjax.page.outcomes import VALUE_WORDS

_LEAST_SHARE = 0.01  # that is written as a number
_MOST_OPAQUE = 0.8  # a weight of 1
_BADGE = Box(-28, 22, 56, 24)  # around the middle of its place


class Spot(NamedTuple):
    """The place of a move."""

    x: float
    y: float
    radius: float


def render_heat(spots: Mapping[int, Spot], weights: Mapping[int, float]) -> str:
    """Returns a disc for each weight, the less translucent the larger it is, with its share."""
    discs, shares = [], []
    for key, (x, y, radius) in spots.items():
        weight = min(weights.get(key, 0.0), 1.0)
        if weight > 0:
            opacity = f"{_MOST_OPAQUE * math.sqrt(weight):.3f}"
            discs.append(svg.circle(x, y, radius, {"class": "heat", "fill-opacity": opacity}))
        if weight >= _LEAST_SHARE:
            shares.append(svg.text(x, y, f"{weight:.0%}", {"class": "share"}))
    return "".join(discs + shares)


def render_badges(spots: Mapping[int, Spot], exact: Mapping[int, int]) -> str:
    """Returns a badge, `win`, `draw` or `loss`, for each exact value."""
    return "".join(
        _render_badge(spot, VALUE_WORDS[exact[key]]) for key, spot in spots.items() if key in exact
    )


def _render_badge(spot: Spot, word: str) -> str:
    left, top, width, height = _BADGE
    box = Box(spot.x + left, spot.y + top, width, height)
    words = svg.text(spot.x, spot.y + top + height / 2, word, {})
    return svg.group({"class": f"badge {word}"}, [svg.rectangle(box, {"rx": height / 2}), words])


def render_pointed(action: int, *shapes: str) -> str:
    """Returns the shapes that show a move while one points at it elsewhere."""
    return svg.group({"class": "pointed", "data-for": action}, shapes)


def render_rings(spots: Mapping[int, Spot]) -> str:
    """Returns a ring for each action that shows the move while one points at it elsewhere."""
    return "".join(render_pointed(action, svg.circle(*spot, {})) for action, spot in spots.items())
