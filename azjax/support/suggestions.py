"""What somebody may have meant."""

import difflib
from collections.abc import Iterable


def did_you_mean(word: str, there: Iterable[str], otherwise: str | None = None) -> str:
    """Returns the nearest of the words there are as a question, or else all of them.

    `otherwise` is what to say in place of all of them.
    """
    words = list(there)
    nearest = difflib.get_close_matches(word, words, n=1)
    if nearest:
        return f"did you mean {nearest[0]!r}?"
    return otherwise or f"there are {', '.join(words)}"
