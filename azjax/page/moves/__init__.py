"""The moves of a game and what they are worth, as every view shows them."""
