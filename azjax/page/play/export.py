"""A game as text and as SGF."""

from azjax.engines.sgf import check_sgf, format_sgf
from azjax.page.play.game_line import GameLine
from azjax.page.play.link import PlayLink

_RESULTS = {None: "unfinished", 1: "X wins", 0: "draw", -1: "O wins"}


def as_text(line: GameLine, link: PlayLink) -> str:
    """Returns a game in lines of text: the players, the moves, and where it stands."""
    rows = {
        "game": line.rules.game.name,
        "X": link.first,
        "O": link.second,
        "from": line.positions[0].text,
        "moves": " ".join(line.names()),
        "position": line.last.text,
        "result": _RESULTS[line.last.result],
    }
    return "".join(f"{name}: {value}\n" for name, value in rows.items())


def has_sgf(line: GameLine, link: PlayLink) -> bool:
    """Tells whether a game can be written as SGF: from the start, in a game that SGF knows."""
    try:
        check_sgf(line.rules.game)
    except ValueError:
        return False
    return not link.position and bool(line.actions)


def as_sgf(line: GameLine, link: PlayLink) -> bytes:
    """Returns a game as SGF."""
    return format_sgf(line.rules.game, link.seats, line.actions, line.last.result)
