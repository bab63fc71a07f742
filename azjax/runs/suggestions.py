"""What somebody may have meant."""

import difflib
from collections.abc import Iterable


def did_you_mean(word: str, there: Iterable[str]) -> str:
    """Returns the nearest of the words there are as a question, or else all of them."""
    words = list(there)
    nearest = difflib.get_close_matches(word, words, n=1)
    return f"did you mean {nearest[0]!r}?" if nearest else f"there are {', '.join(words)}"
