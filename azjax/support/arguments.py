"""Arguments of a command line, as words."""

from collections.abc import Sequence


def without_flags(arguments: Sequence[str], prefix: str) -> list[str]:
    """Returns arguments without the flags that begin with a prefix, and without their values."""
    kept, words = [], list(arguments)
    while words:
        word = words.pop(0)
        if not word.startswith(prefix):
            kept.append(word)
        elif "=" not in word:
            del words[:1]
    return kept
