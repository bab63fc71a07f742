"""The perfect player of Connect Four: BitBully, in a process of its own that speaks GTP."""

import importlib.util
import pathlib
import sys

from azjax.games import Game
from azjax.games.connect_four import ConnectFour

_SCRIPT = pathlib.Path(__file__).with_name("bitbully_gtp.py")


def perfect_command(game: Game) -> tuple[str, ...]:
    """Returns the command of the perfect player.

    Raises:
      ValueError: The game is not Connect Four in its standard size, or BitBully is missing.
    """
    is_standard = isinstance(game, ConnectFour) and (game.rows, game.columns, game.length) == (
        6,
        7,
        4,
    )
    if not is_standard:
        raise ValueError(f"plays connect_four in its standard size alone, not {game.name}")
    if importlib.util.find_spec("bitbully") is None:  # looks for it, and does not import it
        raise ValueError("needs the solver BitBully: pip install bitbully")
    return (sys.executable, "-P", str(_SCRIPT))
