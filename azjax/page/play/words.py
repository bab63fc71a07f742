"""What is said about a game."""

from azjax.games.grid import SYMBOLS
from azjax.page.analysis.rules import Position
from azjax.page.play.link import PERSON


def describe_status(
    position: Position,
    seats: tuple[str, str],
    mistakes: tuple[int, ...] | None,
    *,
    is_variation: bool,
) -> str:
    """Returns whose turn it is, or the result, in one line.

    Args:
      position: The one that is shown.
      seats: The names of the players of X and O.
      mistakes: Those of X and O, if the exact values are shown.
      is_variation: Whether it is a position of the search tree, not of the game.
    """
    phrases = ["In the tree:"] if is_variation else []
    if position.result is None:
        symbol, name = SYMBOLS[position.mover], seats[position.mover]
        who = "Your move" if name == PERSON else f"{name} moves"
        phrases.append(f"{who}, as {symbol}.")
    elif position.result == 0:
        phrases.append("Draw.")
    else:
        winner = 0 if position.result > 0 else 1
        phrases.append(f"{SYMBOLS[winner]} wins ({seats[winner]}).")
    if mistakes is not None:
        phrases.append(f"Mistakes: X {mistakes[0]}, O {mistakes[1]}.")
    return " ".join(phrases)
