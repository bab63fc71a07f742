"""Self-play: games by search, from random starts, with few or many simulations."""
