"""What tests of networks share: configurations, random variables, a small board, tied weights."""

import jax
import numpy as np

from azjax.games import make
from azjax.networks import (
    BoardSymmetries,
    Head,
    Network,
    make_network,
    parameter_permutations,
    ties_weights,
)
from azjax.support.component import get_component

HEADS = (
    Head("reply_logits", "actions", is_bounded=False),
    Head("action_values", "actions", is_bounded=True),
    Head("ownership", "cells", is_bounded=True),
    Head("margin", "scalar", is_bounded=True),
)
GAME = make("connect_four", rows=4, columns=5)
BOARDS = np.random.default_rng(1).normal(size=(6, *GAME.observation_shape)).astype(np.float32)

_apply = jax.jit(Network.apply, static_argnums=0)
_apply_train = jax.jit(Network.apply_train, static_argnums=0)


def apply(*arguments):
    """Returns logits and values, in NumPy: an operation on arrays of JAX is a program each."""
    return jax.device_get(_apply(*arguments))


def apply_train(*arguments):
    """Returns all outputs and the new statistics of batches, in NumPy."""
    return jax.device_get(_apply_train(*arguments))


def config_of(name, **options):
    """Returns the configuration of a network by its name; a convnet has no blocks."""
    if name == "convnet":
        options.pop("blocks", None)
    return get_component("network", name)(**options)


def network_of(configuration, heads=()):
    """Returns a network for the small board."""
    return make_network(configuration, GAME.observation_shape, GAME.num_actions, heads)


def board_symmetries(game):
    """Returns the symmetries of a game's board."""
    rows, columns, _ = game.observation_shape
    return BoardSymmetries(rows, columns, *game.symmetries)


_init = jax.jit(Network.init, static_argnums=0)


def init(network, key):
    """Returns initial variables for the small board, with tied weights if they are tied."""
    return tied(network, board_symmetries(GAME), jax.device_get(_init(network, key)))


def tied(network, symmetries, variables):
    """Returns variables in which what is tied is equal, if the network ties weights."""
    if not ties_weights(network.config, symmetries):
        return variables
    first = parameter_permutations(network, symmetries).min(axis=0)
    params = unravel(ravel(variables.params)[first], variables.params)
    return variables._replace(params=params)


def ravel(tree):
    """Returns the numbers of all leaves as a vector, like ravel_pytree but in NumPy."""
    return np.concatenate([np.ravel(x) for x in jax.tree.leaves(tree)])


def unravel(vector, tree):
    """Returns the tree that `ravel` makes the vector of; its leaves have the shapes of another."""
    leaves, structure = jax.tree.flatten(tree)
    parts = np.split(vector, np.cumsum([x.size for x in leaves])[:-1])
    return structure.unflatten([x.reshape(y.shape) for x, y in zip(parts, leaves, strict=True)])


def assert_equivariant(network, game, variables, boards):
    """Checks that all outputs, of which HEADS are some, are transformed with the boards."""
    outputs, _ = apply_train(network, variables, boards)
    auxiliary = outputs.auxiliary
    for cells, actions in zip(*game.symmetries, strict=True):
        transformed = boards.reshape(len(boards), len(cells), -1)[:, cells].reshape(boards.shape)
        found, _ = apply_train(network, variables, transformed)
        of_actions = {
            name: auxiliary[name][:, actions] for name in ("reply_logits", "action_values")
        }
        expected = outputs._replace(
            policy_logits=outputs.policy_logits[:, actions],
            auxiliary=auxiliary | of_actions | {"ownership": auxiliary["ownership"][:, cells]},
        )
        for one, other in zip(*map(jax.tree.leaves, (found, expected)), strict=True):
            assert np.ptp(other, axis=0).min() > 1e-4
            np.testing.assert_allclose(one, other, rtol=0, atol=1e-5 * np.abs(other).max())


def make_sampler():
    """Returns `sample(leaf)`: random numbers of its shape that keep the size of what they map."""
    generator = np.random.default_rng(2)

    def sample(leaf):
        spread = 0.7 / np.sqrt(np.prod(leaf.shape[:-1]))
        return generator.normal(scale=spread, size=leaf.shape).astype(np.float32)

    return sample


def variables_of(network, scale=1.0):
    """Returns variables from a normal distribution."""
    generator = np.random.default_rng(2)
    return jax.tree.map(
        lambda x: np.float32(scale * generator.normal(size=x.shape)), network.shapes
    )
