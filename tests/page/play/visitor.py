"""What a visitor of the play view does and sees."""

from ..simulation import element, wait_until


def status(user):
    """Returns what is said about the game."""
    return element(user, "status").text


async def open_game(user, query, game="tic_tac_toe"):
    """Opens a game by its address."""
    await user.open(f"/?game={game}&{query}")
    await wait_until(lambda: status(user))
