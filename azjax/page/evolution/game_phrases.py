"""A game of two networks in words."""

from azjax.games.grid import SYMBOLS
from azjax.page.evolution.played_game import PlayedGame
from azjax.page.moves.chances import describe_chance
from azjax.page.outcomes import describe_result


def describe_seats(seats: tuple[int, int]) -> str:
    """Returns who plays, by the iterations of their networks."""
    first, second = seats
    return f"Iteration {first:,} as X, iteration {second:,} as O"


def describe_game(game: PlayedGame, seats: tuple[int, int]) -> str:
    """Returns who plays, and the result or the move that is being searched, in one line."""
    result, num_moves = game.positions[-1].result, len(game.actions)
    if result is None:
        return f"{describe_seats(seats)}: move {num_moves + 1} is being searched"
    return f"{describe_seats(seats)}: {describe_result(result, '')} after {num_moves} moves"


def describe_ply(game: PlayedGame, ply: int) -> str:
    """Returns where a game stands after so many moves, in one line."""
    position, value = game.positions[ply], game.values()[ply]
    phrases = [f"after {ply} of {len(game.actions)} moves"]
    if position.result is None:
        phrases.append(f"{SYMBOLS[position.mover]} to move")
    if value is not None:
        phrases.append(f"chance that X wins {describe_chance(value)}")
    return ", ".join(phrases)
