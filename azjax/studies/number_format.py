"""Numbers in the sentences and the tables of a report: few digits, and never a misleading zero."""

from collections.abc import Sequence

_MOST_DECIMALS = 3


def percent(share: float) -> str:
    """Returns a share in percent with one decimal, and more where 0% or 100% would be wrong."""
    share = round(share, 9)  # without the rounding errors of means
    is_extreme = share in (0, 1)
    for decimals in range(1, _MOST_DECIMALS):
        text = f"{share:.{decimals}%}"
        if is_extreme or float(text[:-1]) not in (0, 100):
            return text
    return f"{share:.{_MOST_DECIMALS}%}"


def points(shares: Sequence[float]) -> list[str]:
    """Returns differences of shares in percentage points, all with the same decimals.

    They have one decimal, and more where a difference other than 0 would be printed as 0.
    """
    values = [round(100 * share, 7) for share in shares]  # without the rounding errors of means
    decimals = 1
    while decimals < _MOST_DECIMALS and any(v and not round(v, decimals) for v in values):
        decimals += 1
    return [f"{round(v, decimals) + 0.0:.{decimals}f}" for v in values]  # + 0.0: no -0.0


def three_digits(value: float) -> str:
    """Returns a positive number with three significant digits."""
    return f"{value:,.0f}" if value >= 1000 else f"{value:#.3g}".rstrip(".")
