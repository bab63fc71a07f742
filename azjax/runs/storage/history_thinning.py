"""Which networks a run keeps in its history: all of the newest, ever fewer of the older ones."""

from collections.abc import Iterable

_NEWEST = 20
_SPAN = 8


def to_keep(iterations: Iterable[int], evaluate_every: int, best: int | None = None) -> set[int]:
    """Returns the iterations whose networks are kept: 20, and up to 4 for each doubling of age.

    Always kept are the first, the last and the best. The evaluation at `n * evaluate_every` is kept
    until it is 8 * 2^k evaluations old, where 2^k is the largest power of two that divides n. That
    depends on it and on the newest alone, so what is dropped is not missed later, and a resumed run
    keeps what it would have kept without the stop.

    Args:
      iterations: Those of the networks that there are.
      evaluate_every: Iterations between two regular evaluations.
      best: The iteration of the best network, if accuracy is measured.
    """
    ordered = sorted(iterations)
    newest = ordered[-1] // evaluate_every if ordered else 0
    always = {*ordered[:1], *ordered[-_NEWEST:], best}
    return {
        iteration
        for iteration in ordered
        if iteration in always
        or (
            iteration % evaluate_every == 0
            and _is_young_enough(iteration // evaluate_every, newest)
        )
    }


def _is_young_enough(number: int, newest: int) -> bool:
    """Tells whether to keep a regular evaluation, given its number and that of the newest one."""
    return newest - number < _SPAN * (number & -number)
