"""A game as text and as SGF, and its board as an image."""

from azjax.engines.sgf import check_sgf, format_sgf
from azjax.page.analysis.rules import GameLine
from azjax.page.boards import Marks, as_document, render_board
from azjax.page.play.game import OpenGame
from azjax.page.play.link import PlayLink
from azjax.page.values import RESULT_WORDS
from azjax.support.errors import InputError, input_errors


def as_text(line: GameLine, link: PlayLink) -> bytes:
    """Returns a game in lines of text: the players, the moves, and where it stands."""
    rows = {
        "game": line.rules.game.name,
        "X": link.first,
        "O": link.second,
        "from": line.positions[0].text,
        "moves": " ".join(line.names()),
        "position": line.last.text,
        "result": RESULT_WORDS[line.last.result],
    }
    return "".join(f"{name}: {value}\n" for name, value in rows.items()).encode()


def as_sgf(line: GameLine, link: PlayLink) -> bytes:
    """Returns a game as SGF.

    Raises:
      InputError: SGF does not know the game, or it is not one from the start, or its package is
        missing.
    """
    with input_errors():
        check_sgf(line.rules.game)
    if link.position:
        raise InputError("SGF files are of whole games: this one began at another position")
    return format_sgf(line.rules.game, link.seats, line.actions, line.last.result)


def as_image(opened: OpenGame) -> bytes:
    """Returns the board that is shown as an SVG file."""
    marks = Marks(last=opened.marks().last, is_clickable=False)
    game, position = opened.line.rules.game, opened.shown
    return as_document(render_board(game, position.state, position.legal, marks)).encode()
