"""Tied weights in training: an equivariant network starts as one and stays one."""

from typing import Any

import chex
import jax.numpy as jnp
import numpy as np
from jax.flatten_util import ravel_pytree

from azjax.games import Game
from azjax.networks import BoardSymmetries, Network, Variables, parameter_permutations, ties_weights


def board_symmetries(game: Game) -> BoardSymmetries:
    """Returns the game's symmetries in the form that networks take."""
    rows, columns, _ = game.observation_shape
    return BoardSymmetries(rows, columns, *game.symmetries)


def init_variables(game: Game, network: Network, key: chex.PRNGKey) -> Variables:
    """Returns initial variables, with tied parameters where the network is equivariant."""
    variables = network.init(key)
    if not ties_weights(network.config, board_symmetries(game)):
        return variables
    vector, unravel = ravel_pytree(variables.params)
    representatives = _ties(game, network, variables.params)[0]
    return variables._replace(params=unravel(vector[representatives]))


def tie_gradient(
    game: Game, network: Network, params: dict[str, Any], gradient: chex.Array
) -> chex.Array:
    """Returns the gradient [N] averaged over tied parameters; unchanged if none are tied.

    It is the gradient of a batch that holds all symmetric images of its positions too.
    """
    if not ties_weights(network.config, board_symmetries(game)):
        return gradient
    ties = _ties(game, network, params)
    # One gather per symmetry: a single gather of all is ten times slower on a CPU.
    return sum(jnp.take(gradient, tied_to, mode="clip") for tied_to in ties) / len(ties)


def _ties(game: Game, network: Network, params: dict[str, Any]) -> np.ndarray:
    """Returns [S, N] int32: column n lists the parameters that parameter n is tied to, and itself.

    Tied parameters have identical columns, so their sums are equal to the last bit, and ties
    survive any number of updates.
    """
    permutations = parameter_permutations(network.config, board_symmetries(game), params)
    return permutations[:, permutations.min(axis=0)]
