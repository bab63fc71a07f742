"""The attributes of what can be clicked."""

from azjax.page.boards.scene import Scene
from azjax.page.boards.svg import Attributes

PLAYERS = ("first", "second")  # classes: the colours of player 0 and player 1


def move_attributes(scene: Scene, action: int, classes: str) -> Attributes:
    """Returns the attributes of an element that plays a legal move.

    Args:
      scene: The position.
      action: The move.
      classes: Classes of the element besides `move`.
    """
    return {"data-move": action, **_button(scene.name(action), classes)}


def cube_attributes(cell: int, name: str, classes: str) -> Attributes:
    """Returns the attributes of a cube of Quixo that may be taken."""
    return {"data-cube": cell, **_button(name, classes)}


def illegal_attributes(name: str, classes: str) -> Attributes:
    """Returns the attributes of an element that plays nothing.

    Args:
      name: What is explained when it is clicked.
      classes: Classes of the element besides `illegal`.
    """
    return {"class": f"illegal {classes}", "data-illegal": name}


def _button(label: str, classes: str) -> Attributes:
    return {"class": f"move {classes}", "tabindex": 0, "role": "button", "aria-label": label}
