"""Rows of coins: a move takes the last ones."""

import math

from azjax.page.boards import svg
from azjax.page.boards.board import (
    CELL,
    PLAYERS,
    Board,
    Scene,
    Spot,
    illegal,
    render_pointed,
    render_values,
)
from azjax.page.boards.svg import Attributes, Box, Point
from azjax.support.plurals import count

_MOST_IN_ROW = 10
_RADIUS, _RING = 38, 44
_ABOVE = 60  # the coins, for their number


class CoinBoard(Board):
    """Coins, the taken ones as empty places. A click on the k-th last coin takes k."""

    sides = ("Blue", "Orange")

    def __init__(self, coins: int):
        self.coins = coins
        self.num_rows = math.ceil(coins / _MOST_IN_ROW)
        self.columns = math.ceil(coins / self.num_rows)

    def has_place(self, action: int) -> bool:
        del action
        return True

    def render(self, scene: Scene) -> str:
        left = int(scene.game.format_state(scene.state).split()[0])  # first word of the position
        spots = {action: Spot(*self._centre(left - 1 - action), _RADIUS) for action in scene.legal}
        layers = [
            svg.labels([f"{left} left"], [(self.columns * CELL / 2, -_ABOVE / 2)]),
            *(self._render_taken(coin, left, scene) for coin in range(left, self.coins)),
            svg.group({"class": "coins"}, [self._render_coin(i, left, scene) for i in range(left)]),
            *(self._render_pointed(action, left) for action in scene.legal),
            render_values(spots, scene.marks),
        ]
        box = Box(0, -_ABOVE, self.columns * CELL, self.num_rows * CELL + _ABOVE)
        return scene.picture(box, layers)

    def explain(self, scene: Scene, name: str) -> str:
        del name
        return f"A move takes at most {count(max(scene.legal) + 1, 'coin')}."

    def _centre(self, coin: int) -> Point:
        row, column = divmod(coin, self.columns)
        return (column + 0.5) * CELL, (row + 0.5) * CELL

    def _render_coin(self, coin: int, left: int, scene: Scene) -> str:
        action = left - 1 - coin
        attributes: Attributes = {"class": "stone coin"}
        if scene.marks.is_clickable:
            attributes = (
                scene.move(action, "stone coin")
                if action in scene.legal
                else illegal(f"coin {coin + 1}", "stone coin")
            )
        return svg.circle(*self._centre(coin), _RADIUS, attributes)

    def _render_taken(self, coin: int, left: int, scene: Scene) -> str:
        last = scene.marks.last
        is_last = last is not None and coin <= left + last
        classes = f"gone last {PLAYERS[1 - scene.mover]}" if is_last else "gone"
        return svg.circle(*self._centre(coin), _RADIUS, {"class": classes})

    def _render_pointed(self, action: int, left: int) -> str:
        coins = range(left - 1 - action, left)
        return render_pointed(action, *(svg.circle(*self._centre(i), _RING, {}) for i in coins))
