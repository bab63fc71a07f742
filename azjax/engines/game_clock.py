"""The time that a game leaves for the next move, as GTP's time commands tell it."""

from typing import NamedTuple

_MOVES_LEFT = 25  # over which the main time is spread
_SPARE = 0.9  # of the time of a move, for all but the search
_LEAST = 0.01  # seconds


class TimeSettings(NamedTuple):
    """Main time, then byo-yomi: periods for so many moves, called stones."""

    main: float  # seconds
    period: float  # seconds; 0 where the main time is all
    stones: int  # of a period; none with a period means no limit


class _Left(NamedTuple):
    seconds: float
    stones: int  # 0 in the main time


class GameClock:
    """The time of both colours; without settings there is no limit."""

    def __init__(self) -> None:
        """Initializes a clock without a limit."""
        self._settings: TimeSettings | None = None
        self._left: dict[int, _Left] = {}  # by colour; missing at the start of a game

    def set(self, settings: TimeSettings) -> None:
        """Sets the time of each colour for a game."""
        has_limit = settings.stones > 0 or settings.period == 0
        self._settings = settings if has_limit else None
        self.restart()

    def restart(self) -> None:
        """Gives both colours the time of a new game."""
        self._left.clear()

    def tell(self, colour: int, seconds: float, stones: int) -> None:
        """Takes the time that is left of the main time, or of a period for so many stones.

        There are no more stones than a period has: some controllers tell the periods instead.
        """
        most = self._settings.stones if self._settings else stones
        self._left[colour] = _Left(seconds, min(stones, most))

    def allowance(self, colour: int) -> float | None:
        """Returns the seconds for the next move; None if there is no limit."""
        left = self._now(colour)
        if left is None:
            return None
        seconds = left.seconds / (left.stones or _MOVES_LEFT)
        if not left.stones:  # what the main time lacks is taken from the first period
            period = self._period()
            seconds = max(seconds, period.seconds / period.stones if period else 0.0)
        return max(_LEAST, _SPARE * seconds)

    def spend(self, colour: int, seconds: float) -> None:
        """Counts the time of a move."""
        left, period = self._now(colour), self._period()
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

    def _now(self, colour: int) -> _Left | None:
        if colour in self._left or self._settings is None:
            return self._left.get(colour)
        return _Left(self._settings.main, 0) if self._settings.main else self._period()

    def _period(self) -> _Left | None:
        """Returns a whole period; None where the main time is all."""
        if self._settings is None or not self._settings.stones:
            return None
        return _Left(self._settings.period, self._settings.stones)
