"""The outcomes of games in words."""

VALUE_WORDS = {1: "win", 0: "draw", -1: "loss"}  # by the value for the player to move
_RESULT_WORDS = {1: "X wins", 0: "draw", -1: "O wins"}


def describe_result(result: int | None, unfinished: str) -> str:
    """Returns the result of a game in words.

    Args:
      result: Of X: 1, 0 or -1; None while the game lasts.
      unfinished: What is said of a game that lasts.
    """
    return unfinished if result is None else _RESULT_WORDS[result]
