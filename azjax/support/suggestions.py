"""Suggestions for a misspelt word."""

import difflib
from collections.abc import Iterable

_LEAST_RATIO = 0.65  # of difflib: "nothing" does not mean "gating"


def nearest(word: str, choices: Iterable[str]) -> str | None:
    """Returns the choice that is meant: one with the same last part, else one spelt alike.

    Capitals do not matter, nor whether `-` or `_` joins words; a `.` separates parts.
    """
    folded = {_fold(choice): choice for choice in choices}
    wanted = _fold(word)
    last = _last_part(wanted)  # a number in the name of a run is none: runs/lr-0.5
    same = [name for name in folded if last.isidentifier() and _last_part(name) == last]
    same.sort(key=lambda name: difflib.SequenceMatcher(None, wanted, name).ratio(), reverse=True)
    alike = difflib.get_close_matches(wanted, folded, n=1, cutoff=_LEAST_RATIO)
    return next((folded[name] for name in same + alike), None)


def did_you_mean(word: str, choices: Iterable[str], otherwise: str | None = None) -> str:
    """Returns a question with the nearest choice; if none is near, a list of all choices.

    Args:
      word: The word that is none of the choices.
      choices: The words that exist.
      otherwise: Text in place of the list of all choices.
    """
    words = list(choices)
    if meant := nearest(word, words):
        return f"did you mean {meant!r}?"
    return otherwise or f"there are {', '.join(words)}"


def _fold(word: str) -> str:
    return word.lower().replace("-", "_")


def _last_part(name: str) -> str:
    return name.rpartition(".")[2]
