"""The time that a game leaves for the next move, as GTP's time commands tell it."""

from typing import NamedTuple

_MOVES_LEFT = 25  # over which the main time is spread
_SPARE = 0.9  # of the time of a move, for all but the search
_LEAST = 0.01  # seconds


class _Left(NamedTuple):
    seconds: float
    stones: int  # moves of a period that are left; 0 in the main time


class GameClock:
    """The time of both colours: main time, then byo-yomi, periods for so many moves, or stones."""

    def __init__(self) -> None:
        """Initializes a clock without a limit."""
        self._start: _Left | None = None  # of each colour; None without a limit
        self._period: _Left | None = None  # a whole one; None where the main time is all
        self._left: dict[int, _Left] = {}  # by colour; missing at the start of a game

    def set(self, main: float, period: float, stones: int) -> None:
        """Sets the seconds of each colour for a game; a period without stones means no limit."""
        self._period = _Left(period, stones) if stones else None
        has_limit = main and (stones or not period)
        self._start = _Left(main, 0) if has_limit else self._period
        self.restart()

    def restart(self) -> None:
        """Gives both colours the time of a new game."""
        self._left.clear()

    def tell(self, colour: int, seconds: float, stones: int) -> None:
        """Takes the time that is left of the main time, or of a period for so many stones.

        There are no more stones than a period has: some controllers tell the periods instead.
        """
        most = self._period.stones if self._period else stones
        self._left[colour] = _Left(seconds, min(stones, most))

    def allowance(self, colour: int) -> float | None:
        """Returns the seconds for the next move; None if there is no limit."""
        left = self._left.get(colour, self._start)
        if left is None:
            return None
        seconds = left.seconds / (left.stones or _MOVES_LEFT)
        if not left.stones and self._period:  # what the main time lacks is taken from a period
            seconds = max(seconds, self._period.seconds / self._period.stones)
        return max(_LEAST, _SPARE * seconds)

    def spend(self, colour: int, seconds: float) -> None:
        """Counts the time of a move."""
        left, period = self._left.get(colour, self._start), self._period
        if left is None:
            return
        seconds_left = left.seconds - seconds
        if left.stones > 1:
            self._left[colour] = _Left(seconds_left, left.stones - 1)
        elif left.stones == 1 and period:
            self._left[colour] = period
        elif not left.stones and seconds_left <= 0 and period:
            self._left[colour] = period._replace(seconds=period.seconds + seconds_left)
        else:
            self._left[colour] = left._replace(seconds=seconds_left)
