"""What a game on the page is, as the query of its address: a reload comes back to it."""

import dataclasses
from collections.abc import Mapping
from urllib.parse import urlencode

from azjax.page.analysis.players import MAX_SIMULATIONS
from azjax.page.analysis.rules import LONGEST_POSITION
from azjax.support.errors import InputError

PERSON = "you"
_MOST_DIGITS = 20  # of a number


@dataclasses.dataclass(frozen=True)
class PlayLink:
    """The settings and the moves of a game; PERSON in a seat is the visitor."""

    game: str = ""  # empty: the agent's, or the usual agent's if there is none
    first: str = PERSON  # who plays X
    second: str = "connect_four"  # who plays O
    simulations: int | None = None  # None: as in the agent's evaluations
    algorithm: str = ""  # empty: the agent's own
    position: str = ""  # where the game begins; empty: the start
    moves: tuple[str, ...] = ()

    @property
    def seats(self) -> tuple[str, str]:
        """The players of X and O."""
        return self.first, self.second

    @property
    def own_seats(self) -> set[int]:
        """The seats of the visitor."""
        return {seat for seat, name in enumerate(self.seats) if name == PERSON}

    def switched(self) -> "PlayLink":
        """Returns the game with seats exchanged."""
        return dataclasses.replace(self, first=self.second, second=self.first)

    def restarted(self) -> "PlayLink":
        """Returns a new game from the start, with the same settings."""
        return dataclasses.replace(self, position="", moves=())

    def address(self) -> str:
        """Returns the address of the view with this game."""
        values = {
            "game": self.game,
            "x": self.first,
            "o": self.second,
            "simulations": str(self.simulations or ""),
            "search": self.algorithm,
            "position": self.position,
            "moves": " ".join(self.moves),
        }
        return f"/?{urlencode({key: value for key, value in values.items() if value})}"


def read_link(query: Mapping[str, str]) -> PlayLink:
    """Returns the game of an address's query; `agent=NAME` stands for O played by that agent.

    Raises:
      InputError: A value is out of range.
    """
    if any(len(value) > LONGEST_POSITION for value in query.values()):
        raise InputError("the address is too long")
    default = PlayLink()
    has_default_agent = not query.get("game") or query.get("x", PERSON) != PERSON
    opponent = query.get("agent") or (default.second if has_default_agent else "")
    return PlayLink(
        game=query.get("game", default.game),
        first=query.get("x", default.first),
        second=query.get("o", opponent),
        simulations=read_simulations(query.get("simulations", "")),
        algorithm=query.get("search", default.algorithm),
        position=query.get("position", default.position),
        moves=tuple(query.get("moves", "").split()),
    )


def read_simulations(text: str) -> int | None:
    """Returns the number of simulations that a visitor wrote; None if nothing.

    Raises:
      InputError: It is no number in range.
    """
    if not text:
        return None
    if not is_number(text) or not 1 <= int(text) <= MAX_SIMULATIONS:
        raise InputError(f"simulations={text[:_MOST_DIGITS]!r}: must be 1 to {MAX_SIMULATIONS:,}")
    return int(text)


def is_number(text: str) -> bool:
    """Tells whether a text is a number of few digits: Python reads no endless ones."""
    return len(text) <= _MOST_DIGITS and text.isdecimal()
