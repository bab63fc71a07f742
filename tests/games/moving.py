"""Moves in notation, from positions in one line, and random games; functions compile once."""

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


def start(game, num_games):
    """Returns the first states and masks, and the function from actions to the next ones."""

    def with_masks(states):
        return states, jax.vmap(game.legal_action_mask)(states)

    step = jax.jit(lambda states, actions: with_masks(jax.vmap(game.step)(states, actions)))
    begin = jax.jit(lambda keys: with_masks(jax.vmap(game.init)(keys)))
    first = begin(jax.random.split(jax.random.key(0), num_games))
    return jax.device_get(first), lambda *arguments: jax.device_get(step(*arguments))


def choose_legal(generator, mask):
    """Returns a random legal action for each game, 0 where there is none."""
    return np.where(mask, generator.random(mask.shape), 0).argmax(-1).astype(np.int32)
