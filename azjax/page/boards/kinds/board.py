"""What every kind of board can do."""

import abc

from azjax.page.boards.scene import Scene


class Board(abc.ABC):
    """How the positions of a game are rendered; by default no move has a place on the board."""

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
