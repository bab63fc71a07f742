"""SVG as text. Every text and attribute is escaped here."""

import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import NamedTuple

_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_SMALLEST, _LARGEST = 18, 40  # of letters

Attributes = Mapping[str, str | float]
Point = tuple[float, float]


class Box(NamedTuple):
    """A rectangle."""

    left: float
    top: float
    width: float
    height: float


def element(tag: str, attributes: Attributes, content: str = "") -> str:
    """Returns an element of a tag with unescaped attributes, and elements in it as SVG."""
    written = "".join(f' {name}="{_value(value)}"' for name, value in attributes.items())
    return f"<{tag}{written}>{content}</{tag}>" if content else f"<{tag}{written}/>"


def group(attributes: Attributes, contents: Iterable[str]) -> str:
    """Returns elements in a group; nothing where there are none."""
    content = "".join(contents)
    return element("g", attributes, content) if content else ""


def circle(x: float, y: float, radius: float, attributes: Attributes) -> str:
    """Returns a circle."""
    return element("circle", {**attributes, "cx": x, "cy": y, "r": radius})


def rectangle(box: Box, attributes: Attributes) -> str:
    """Returns a rectangle."""
    place = dict(zip(("x", "y", "width", "height"), box, strict=True))
    return element("rect", {**attributes, **place})


def path(lines: Iterable[Iterable[Point]], attributes: Attributes, *, closed: bool = False) -> str:
    """Returns lines through points, or polygons, as one element."""
    end = "Z" if closed else ""
    shapes = ("L".join(f"{_number(x)} {_number(y)}" for x, y in line) for line in lines)
    return element("path", {**attributes, "d": "".join(f"M{shape}{end}" for shape in shapes)})


def text(x: float, y: float, words: str, attributes: Attributes) -> str:
    """Returns a text, whose line has its middle at y."""
    return element("text", {**attributes, "x": x, "y": y, "dy": ".35em"}, _escape(words))


def labels(names: Sequence[str], places: Iterable[Point]) -> str:
    """Returns the names of rows or columns."""
    return "".join(
        text(x, y, name, {"class": "coordinate"})
        for name, (x, y) in zip(names, places, strict=True)
    )


def picture(box: Box, label: str, contents: Iterable[str], theme: str = "") -> str:
    """Returns an SVG image of no fixed size, which shows a box, with its elements back to front.

    Programs that read it aloud call it by its label.
    """
    attributes: Attributes = {
        "xmlns": "http://www.w3.org/2000/svg",
        "class": f"game-board {theme}".strip(),
        "viewBox": " ".join(map(_number, box)),
        "font-size": min(_SMALLEST + box.width / 80, _LARGEST),  # as boards with many cells shrink
        "role": "group",
        "aria-label": label,
    }
    return element("svg", attributes, "".join(contents))


def _escape(words: str) -> str:
    return escape(_NOT_IN_XML.sub("\ufffd", words))


def _value(value: str | float) -> str:
    return _escape(value) if isinstance(value, str) else _number(value)


def _number(value: float) -> str:
    return f"{round(value, 1):g}"
