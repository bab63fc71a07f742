"""Suggestions for a misspelt word."""

import difflib
from collections.abc import Iterable

_LEAST_RATIO = 0.65  # of difflib: "nothing" does not mean "gating"


def nearest(word: str, choices: Iterable[str]) -> str | None:
    """Returns the choice that is meant: one with the same last part, else one spelt alike.

    Capitals do not matter, nor whether `-` or `_` joins words; a `.` separates parts.
    """
    folded = {choice.lower().replace("-", "_"): choice for choice in choices}
    wanted = word.lower().replace("-", "_")
    last = wanted.split(".")[-1]  # a number in the name of a run is none: runs/lr-0.5
    same = [name for name in folded if last.isidentifier() and name.split(".")[-1] == last]
    same.sort(key=lambda name: difflib.SequenceMatcher(None, wanted, name).ratio(), reverse=True)
    alike = difflib.get_close_matches(wanted, folded, n=1, cutoff=_LEAST_RATIO)
    return next((folded[name] for name in same + alike), None)


def did_you_mean(word: str, choices: Iterable[str], otherwise: str | None = None) -> str:
    """Returns a question with the choice nearest to a word that is none.

    If none is near, it is a list of all choices, or the text `otherwise`.
    """
    words = list(choices)
    if meant := nearest(word, words):
        return f"did you mean {meant!r}?"
    return otherwise or f"there are {', '.join(words)}"
