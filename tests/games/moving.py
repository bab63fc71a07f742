"""Moves in notation, from positions in one line; functions are compiled once."""

import functools

import jax
import numpy as np


@functools.cache
def jitted(function):
    """Returns the compiled function, the same one at each call."""
    return jax.jit(function)


def move(game, position, text):
    """Returns the state after a move in notation from a position in one line."""
    return jitted(game.step)(game.parse_state(position), np.int32(game.parse_action(text)))
