"""Positions to render, and what a picture shows."""

import xml.etree.ElementTree as ElementTree
from typing import Any, NamedTuple

import jax
import numpy as np

from azjax.games import Game, make
from azjax.page.boards import Marks, explain_illegal, moves_off_board, render_board

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


class Position(NamedTuple):
    """An unbatched state, its legal actions, and the action that led to it."""

    game: Game
    state: Any
    legal: tuple[int, ...]
    last: int | None = None

    def render(self, **marks) -> Picture:
        return Picture(self.svg(**marks))

    def svg(self, **marks) -> str:
        return render_board(self.game, self.state, self.legal, Marks(**marks))

    def explain(self, cell: str) -> str:
        return explain_illegal(self.game, self.state, self.legal, cell)

    def reachable(self) -> list[int]:
        """Returns the actions that can be clicked, on the board or beside it."""
        picture = self.render()
        second = [self.render(taken=cube).moves() for cube in picture.numbers("data-cube")]
        return sorted(sum(second, picture.moves()) + moves_off_board(self.game, self.legal))

    def action(self, move: str) -> int:
        return self.game.parse_action(move)


def _read(game, state, last=None):
    legal = np.flatnonzero(game.legal_action_mask(state)).tolist()
    return Position(game, jax.device_get(state), tuple(legal), last)


def start(game):
    return _read(game, game.init(jax.random.key(0)))


def play(game, *moves):
    position = start(game)
    for move in moves:
        assert position.action(move) in position.legal
        position = _step(position, position.action(move))
    return position


def play_at_random(game, num_moves):
    """Returns the position after so many moves, or before the one that would end the game."""
    random, position = np.random.default_rng(0), start(game)
    for _ in range(num_moves):
        after = _step(position, int(random.choice(position.legal)))
        if not after.legal:
            break
        position = after
    return position


def at(name, text):
    game = make(name)
    return _read(game, game.parse_state(text))


def _step(position, action):
    return _read(position.game, position.game.step(position.state, action), action)
