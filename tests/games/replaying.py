"""Plays recorded games again, many at once."""

import jax
import jax.numpy as jnp
import numpy as np


def replay(game, records):
    """Returns the state after each record's actions, and whether all of them were legal."""
    lengths = np.array([len(record) for record in records])
    states = jax.vmap(game.init)(jax.random.split(jax.random.key(0), len(records)))
    all_legal = np.ones(len(records), bool)

    @jax.jit
    @jax.vmap
    def play(state, action, lasts):
        after = game.step(state, action)
        kept = jax.tree.map(lambda new, old: jnp.where(lasts, new, old), after, state)
        return kept, game.legal_action_mask(state)[action] | ~lasts

    for move in range(lengths.max()):
        actions = [record[move] if move < len(record) else 0 for record in records]
        states, legal = play(states, np.array(actions, np.int32), move < lengths)
        all_legal &= legal
    return states, all_legal
