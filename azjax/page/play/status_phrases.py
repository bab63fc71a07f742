"""The status of a game in words: what is shown, and whose turn it is, or the result."""

from azjax.games.grid import SYMBOLS
from azjax.page.analysis.players import PagePlayer
from azjax.page.play.link import PERSON
from azjax.page.play.open_game import OpenGame


def describe_status(opened: OpenGame) -> str:
    """Returns what is shown of a game, and whose turn it is, or the result, in one line."""
    phrases = []
    if opened.variation:
        phrases.append("In the tree (Esc leads back):")
    elif not opened.is_newest:
        phrases.append(f"Move {opened.ply} of {len(opened.line.actions)} is shown.")
    phrases.append(_describe_result(opened) or _describe_turn(opened))
    mistakes = opened.mistake_counts()
    if mistakes is not None:
        phrases.append(f"Mistakes: X {mistakes[0]}, O {mistakes[1]}.")
    return " ".join(phrases)


def describe_wait(player: PagePlayer) -> str:
    """Returns that a player thinks, before it has found anything."""
    waits = "; its first search waits until its program is compiled" if player.search else ""
    return f"{player.kind} thinks{waits}"


def _describe_result(opened: OpenGame) -> str:
    """Returns the result of the position that is shown; nothing while the game lasts."""
    match opened.shown.result:
        case None:
            return ""
        case 0:
            return "Draw."
        case result:
            winner = 0 if result > 0 else 1
            lead = opened.shown.lead
            size = f" by {abs(lead):g}" if lead else ""
            return f"{SYMBOLS[winner]} wins{size} ({opened.link.seats[winner]})."


def _describe_turn(opened: OpenGame) -> str:
    """Returns who is to move; an agent moves at the end of the game alone."""
    mover = opened.shown.mover
    symbol, name = SYMBOLS[mover], opened.link.seats[mover]
    if name == PERSON:
        return f"Your move, as {symbol}."
    if opened.is_newest and opened.switches.paused:
        return f"{name} is to move, as {symbol}: switch pause off to go on."
    if opened.is_newest or opened.variation:
        return f"{name} moves, as {symbol}."
    is_over = opened.line.last.result is not None
    return f"{name} is to move, as {symbol}{'' if is_over else ': step to the end to go on'}."
