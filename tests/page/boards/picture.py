"""Reads what a picture shows."""

import xml.etree.ElementTree as ElementTree

_NAMESPACE = "{http://www.w3.org/2000/svg}"


class Picture:
    """An SVG image, which must be well-formed."""

    def __init__(self, svg):
        self.root = ElementTree.fromstring(svg)
        assert self.root.tag == f"{_NAMESPACE}svg"

    def having(self, *classes):
        """Returns the elements that have all these classes."""
        return [one for one in self.root.iter() if {*classes} <= {*one.get("class", "").split()}]

    def with_attribute(self, name):
        """Returns by its value the element that has an attribute."""
        found = [one for one in self.root.iter() if name in one.attrib]
        values = {one.get(name): one for one in found}
        assert len(values) == len(found)
        return values

    def numbers(self, name):
        """Returns the values of an attribute, as sorted integers."""
        return sorted(map(int, self.with_attribute(name)))

    def moves(self):
        return self.numbers("data-move")

    def texts(self, *classes):
        return [one.text for one in self.having(*classes)]


def middle(element):
    """Returns the middle of a circle or a rectangle."""
    place = {name: float(value) for name, value in element.items() if name in _PLACES}
    if "cx" in place:
        return place["cx"], place["cy"]
    return place["x"] + place["width"] / 2, place["y"] + place["height"] / 2


_PLACES = ("cx", "cy", "x", "y", "width", "height")
