"""The text of a game whose board is not known."""

from azjax.page.boards import svg
from azjax.page.boards.kinds.board import Board
from azjax.page.boards.scene import Scene
from azjax.page.boards.svg import Box

_CHARACTER, _LINE = 17, 36  # the size of a character
_NARROWEST = 30  # characters, so that short lines are not large


class TextBoard(Board):
    """What the game's `render` returns."""

    def render(self, scene: Scene) -> str:
        lines = scene.game.render(scene.state).expandtabs().splitlines()
        columns = max([_NARROWEST, *map(len, lines)])
        attributes = {"class": "render", "xml:space": "preserve"}
        rows = (svg.text(0, (i + 0.5) * _LINE, line, attributes) for i, line in enumerate(lines))
        box = Box(0, 0, columns * _CHARACTER, max(1, len(lines)) * _LINE)
        return svg.picture(box, f"Position of {scene.game.name}", rows)
