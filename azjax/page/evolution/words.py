"""What is said about a game of two networks."""

from azjax.games.grid import SYMBOLS
from azjax.page.evolution.played_game import PlayedGame
from azjax.page.moves.chances import describe_chance
from azjax.page.outcomes import describe_result


def describe_game(game: PlayedGame, seats: tuple[int, int]) -> str:
    """Returns who plays, by the iterations of their networks, and the result, in one line."""
    first, second = seats
    players = f"X: iteration {first:,}, O: iteration {second:,}"
    result = describe_result(game.positions[-1].result, "in play")
    return f"{players}. {result} after {len(game.actions)} moves"


def describe_ply(game: PlayedGame, ply: int) -> str:
    """Returns where a game stands after so many moves, in one line."""
    position, value = game.positions[ply], game.values()[ply]
    phrases = [f"after {ply} of {len(game.actions)} moves"]
    if position.result is None:
        phrases.append(f"{SYMBOLS[position.mover]} to move")
    if value is not None:
        phrases.append(f"chance that X wins {describe_chance(value)}")
    return ", ".join(phrases)
