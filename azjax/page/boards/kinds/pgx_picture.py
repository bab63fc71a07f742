"""Pgx's own pictures."""

import re

from azjax.games.pgx_adapter import PgxGame, allow_rank_promotion
from azjax.page.boards import svg
from azjax.page.boards.kinds.board import Board
from azjax.page.boards.scene import Scene
from azjax.page.boards.svg import Box

_SIZE = re.compile(r'<svg\b[^>]* height="(?P<height>[\d.]+)"[^>]* width="(?P<width>[\d.]+)"')


class PgxPicture(Board):
    """A game of Pgx as Pgx renders it."""

    def __init__(self, game: PgxGame):
        """Takes the game."""
        self._game = game

    def render(self, scene: Scene) -> str:
        with allow_rank_promotion():
            picture = self._game.restore(scene.state).to_svg()
        size = _SIZE.search(picture)
        assert size
        box = Box(0, 0, float(size["width"]), float(size["height"]))
        return svg.picture(box, f"Board of {scene.game.name}", [picture[size.start() :]])
