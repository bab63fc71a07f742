"""`lz-analyze`: a search in progress as graphical clients of Leela Zero read it."""

import math
import time
from collections.abc import Callable, Iterator

import numpy as np

from azjax.engines.gtp_game import GtpGame
from azjax.engines.gtp_syntax import SYNTAX_ERROR, GtpError
from azjax.evaluation import read_searches
from azjax.search import SearchResult, most_visited_line

# A search in progress: after every few simulations, what returns its result so far, until the next.
Searches = Iterator[Callable[[], SearchResult]]
IsWaiting = Callable[[float], bool]  # tells within some seconds whether a command waits to be read

_INTERVAL = 1.0  # seconds between two lines, if the command says nothing


def parse_interval(arguments: list[str]) -> float:
    """Returns the seconds of `CENTISECONDS` or `interval CENTISECONDS`.

    Raises:
      GtpError: The arguments are neither, and not empty.
    """
    match arguments:
        case []:
            return _INTERVAL
        case [number] | ["interval", number] if (
            number.isascii() and number.isdigit() and len(number) < 10
        ):
            return int(number) / 100
    raise GtpError(SYNTAX_ERROR)


def format_analysis(game: GtpGame, result: SearchResult) -> str:
    """Returns a line of the visited moves of a search of one position, the best first.

    Its numbers are from the view of the player to move; winrate and prior are ten thousandths.
    """
    [found] = read_searches(game.game, result)
    assert found.visits is not None
    assert found.prior is not None
    assert found.q_values is not None
    moves = []
    for order, action in enumerate(np.lexsort((-found.policy, -found.visits)).tolist()):
        if not found.visits[action]:
            break
        line = map(game.format_action, [action, *most_visited_line(result, 0, action)])
        winrate, prior = (1 + found.q_values[action]) / 2, found.prior[action]
        moves.append(
            f"info move {game.format_action(action)} visits {found.visits[action]} "
            f"winrate {round(10_000 * winrate)} prior {round(10_000 * prior)} "
            f"order {order} pv {' '.join(line)}"
        )
    return " ".join(moves)


def stream_analysis(
    game: GtpGame, searches: Searches, interval: float, is_waiting: IsWaiting
) -> Iterator[str]:
    """Yields a line about a search every `interval` seconds until a command waits; one at least."""
    told = -math.inf
    for read in searches:
        if time.perf_counter() - told >= interval:
            yield format_analysis(game, read())
            told = time.perf_counter()
        if is_waiting(0):
            return
    yield format_analysis(game, read())
    while not is_waiting(1):
        pass
