"""What training does so that an equivariant network starts as one and stays one."""

from typing import Any

import chex
import jax.numpy as jnp
import numpy as np
from jax.flatten_util import ravel_pytree

from azjax.games import Game
from azjax.networks import BoardSymmetries, Network, Variables, parameter_permutations, ties_weights


def board_symmetries(game: Game) -> BoardSymmetries:
    """Returns the game's symmetries as networks know them."""
    rows, columns, _ = game.observation_shape
    return BoardSymmetries(rows, columns, *game.symmetries)


def init_variables(game: Game, network: Network, key: chex.PRNGKey) -> Variables:
    """Returns a fresh network's, its parameters tied where it is equivariant."""
    variables = network.init(key)
    if not ties_weights(network.config, board_symmetries(game)):
        return variables
    vector, unravel = ravel_pytree(variables.params)
    one_of_each = _ties(game, network, variables.params)[0]
    return variables._replace(params=unravel(vector[one_of_each]))


def tied_gradient(game: Game, network: Network, params: Any, gradient: chex.Array) -> chex.Array:
    """Returns the gradient [N] by which an equivariant network stays so; another's as it is.

    It is the mean over the parameters that each is tied to: what the batch would give if it held
    all images of its positions too.
    """
    if not ties_weights(network.config, board_symmetries(game)):
        return gradient
    ties = _ties(game, network, params)
    # One gather for each: all at once are ten times slower on a CPU.
    return sum(jnp.take(gradient, tied_to, mode="clip") for tied_to in ties) / len(ties)


def _ties(game: Game, network: Network, params: Any) -> np.ndarray:
    """Returns [S, N] int32: in each column the parameters that one is tied to, itself among them.

    Parameters that are tied to each other have the same column, so sums over it are equal to the
    last bit, and ties outlast any number of updates.
    """
    images = parameter_permutations(network.config, board_symmetries(game), params)
    return images[:, images.min(axis=0)]
