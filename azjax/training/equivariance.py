"""What training does so that a network treats a position and its images alike, where it should."""

from typing import Any

import chex
import jax.numpy as jnp
import numpy as np
from jax.flatten_util import ravel_pytree

from azjax.games import Game
from azjax.networks import BoardSymmetries, Network, Variables, parameter_images


def board_symmetries(game: Game) -> BoardSymmetries:
    """Returns the game's symmetries as networks know them."""
    rows, columns, _ = game.observation_shape
    return BoardSymmetries(rows, columns, *game.symmetries)


def fresh_variables(game: Game, network: Network, key: chex.PRNGKey) -> Variables:
    """Returns a fresh network's, with tied parameters where it is equivariant."""
    variables = network.init(key)
    if not network.config.equivariant:
        return variables
    vector, as_tree = ravel_pytree(variables.parameters)
    tied_to = _images(game, network, variables.parameters)[0]
    return variables._replace(parameters=as_tree(vector[tied_to]))


def tied_gradient(
    game: Game, network: Network, parameters: Any, gradient: chex.Array
) -> chex.Array:
    """Returns the gradient [N] by which an equivariant network stays so; another's as it is.

    It is the mean over the images of each parameter: what the batch would give if it held every
    position's images too.
    """
    if not network.config.equivariant:
        return gradient
    images = _images(game, network, parameters)
    # One gather for each: all at once are ten times slower on a CPU.
    return sum(jnp.take(gradient, image, mode="clip") for image in images) / len(images)


def _images(game: Game, network: Network, parameters: Any) -> np.ndarray:
    """Returns [S, N] int32: the parameters that each is tied to, the same row for all of them.

    So their sums are equal to the last bit, and stay so over any number of updates.
    """
    images = parameter_images(network.config, board_symmetries(game), parameters)
    return images[:, images.min(axis=0)]
