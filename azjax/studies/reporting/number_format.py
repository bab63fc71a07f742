"""Numbers in the sentences and the tables of a report: few digits, and never a misleading zero."""

from collections.abc import Callable, Sequence

from azjax.evaluation import INTERVAL
from azjax.support.files.tables import Row
from azjax.support.plurals import agreeing

_MOST_DECIMALS = 3
_ROUNDING = 9  # decimals of a share beyond which there are rounding errors only


def decimals_for(shares: Sequence[float], differences: Sequence[float] = ()) -> int:
    """Returns the decimals, in percent, that numbers of one sentence have in common.

    It is one, and more where an accuracy below 100% would be printed as 100%, two that differ as
    equal, or a difference as 0.
    """
    exact = {round(share, _ROUNDING) for share in shares}
    steps = [abs(d) for d in differences if round(d, _ROUNDING)]
    for decimals in range(1, _MOST_DECIMALS):
        printed = {share: round(100 * share, decimals) for share in exact}
        has_false_end = any(p in (0, 100) and share not in (0, 1) for share, p in printed.items())
        is_distinct = len(set(printed.values())) == len(exact)
        if is_distinct and not has_false_end and all(round(100 * s, decimals) for s in steps):
            return decimals
    return _MOST_DECIMALS


def percent(share: float, decimals: int | None = None) -> str:
    """Returns a share in percent, with the decimals that it needs if none are given."""
    return f"{share:.{decimals_for([share]) if decimals is None else decimals}%}"


def points(difference: float, decimals: int) -> str:
    """Returns a difference of shares in percentage points."""
    return f"{round(100 * difference, decimals) + 0.0:.{decimals}f}"  # + 0.0: no -0.0


def in_percent(shares: Sequence[float]) -> list[str]:
    """Returns shares in percent with the decimals that they need together."""
    return [percent(share, decimals_for(shares)) for share in shares]


def in_points(differences: Sequence[float]) -> list[str]:
    """Returns differences of shares in points with the decimals that they need together."""
    return [points(difference, decimals_for((), differences)) for difference in differences]


def training_time(minutes: float) -> str:
    """Returns a run's minutes in words; less than a minute is in seconds."""
    number, unit = (60 * minutes, "second") if minutes < 1 else (minutes, "minute")
    return f"{number:g} {agreeing(unit, number)}"


def three_digits(value: float) -> str:
    """Returns a positive number with three significant digits."""
    return f"{value:,.0f}" if value >= 1000 else f"{value:#.3g}".rstrip(".")


def with_ends(
    row: Row, name: str, texts: Callable[[Sequence[float]], list[str]], prefix: str = ""
) -> str:
    """Returns an estimate of `columns_of` in words: the mean, and its interval or range.

    A mean alone is that of one seed, or of seeds that are all alike.

    Args:
      row: A row of a table.
      name: The column of the mean.
      texts: Returns numbers as texts.
      prefix: That of the other columns.
    """
    low, high, kind = (row[f"{prefix}{column}"] for column in ("low", "high", "kind"))
    if low == high:
        return texts([row[name]])[0]
    mean, *ends = texts([row[name], low, high])
    return f"{mean} ({'' if kind == INTERVAL else f'{kind}: '}{' to '.join(ends)})"
