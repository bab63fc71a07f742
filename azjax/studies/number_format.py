"""Numbers in the sentences and the tables of a report: few digits, and never a misleading zero."""

from collections.abc import Callable

from azjax.evaluation import INTERVAL
from azjax.support.files.tables import Row

_MOST_DECIMALS = 3
_ROUNDING = 9  # decimals of a share beyond which there are rounding errors only


def percent(share: float) -> str:
    """Returns a share in percent with one decimal; more where it would look like all or none."""
    share = round(share, _ROUNDING)
    decimals = 1
    while decimals < _MOST_DECIMALS and round(100 * share, decimals) in (0, 100) and share % 1:
        decimals += 1
    return f"{share:.{decimals}%}"


def points(difference: float) -> str:
    """Returns a difference of shares in percentage points; more decimals where it would be 0.0."""
    difference = round(difference, _ROUNDING)
    decimals = 1
    while decimals < _MOST_DECIMALS and difference and not round(100 * difference, decimals):
        decimals += 1
    return f"{round(100 * difference, decimals) + 0.0:.{decimals}f}"  # + 0.0: no -0.0


def elo(rating: float) -> str:
    """Returns a rating, or a difference of two, with its sign."""
    return f"{round(rating):+d}"


def three_digits(value: float) -> str:
    """Returns a positive number with three significant digits."""
    return f"{value:,.0f}" if value >= 1000 else f"{value:#.3g}".rstrip(".")


def with_ends(row: Row, name: str, text: Callable[[float], str], prefix: str = "") -> str:
    """Returns an estimate of `columns_of` in words: the mean, and its interval or range.

    A mean alone is the mean of one seed, or of seeds that are all alike.

    Args:
      row: A row of a table.
      name: The column of the mean.
      text: Returns a number as text.
      prefix: Begins the names of the other columns.
    """
    low, high, kind = (row[f"{prefix}{column}"] for column in ("low", "high", "kind"))
    if low == high:
        return text(row[name])
    about = "" if kind == INTERVAL else f"{kind}: "
    return f"{text(row[name])} ({about}{text(low)} to {text(high)})"
