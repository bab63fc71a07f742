"""Suggestions for a misspelt word."""

import difflib
from collections.abc import Iterable


def did_you_mean(word: str, choices: Iterable[str], otherwise: str | None = None) -> str:
    """Returns a question with the nearest choice; if none is near, a list of all choices.

    Args:
      word: The word that is none of the choices.
      choices: The words that exist.
      otherwise: Text in place of the list of all choices.
    """
    words = list(choices)
    nearest = difflib.get_close_matches(word, words, n=1)
    if nearest:
        return f"did you mean {nearest[0]!r}?"
    return otherwise or f"there are {', '.join(words)}"
