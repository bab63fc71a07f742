"""Symmetries of the board in learning: transformed samples, and tied weights."""

import chex
import jax
import jax.numpy as jnp
import numpy as np
from jax.flatten_util import ravel_pytree

from azjax.games import Game, State
from azjax.networks import BoardSymmetries, Network, Variables, parameter_permutations, ties_weights


def transform_positions(
    game: Game, states: State, symmetry: chex.Array
) -> tuple[chex.Array, chex.Array]:
    """Returns the observations [S, H, W, C] and legal actions bool[S, A] of transformed positions.

    Each of the states [S, ...] is transformed by its own symmetry [S].
    """
    cells = jnp.asarray(game.symmetries.cells)[symmetry]
    actions = jnp.asarray(game.symmetries.actions)[symmetry]
    observation = jax.vmap(game.observe)(states)
    planes = observation.reshape(observation.shape[0], -1, observation.shape[-1])
    planes = jnp.take_along_axis(planes, cells[:, :, None], axis=1)
    legal = jax.vmap(game.legal_action_mask)(states)
    return planes.reshape(observation.shape), jnp.take_along_axis(legal, actions, axis=1)


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
    representatives = _ties(game, network)[0]
    return variables._replace(params=unravel(vector[representatives]))


def tie_parameters(game: Game, network: Network, vector: chex.Array) -> chex.Array:
    """Returns a vector [N] like the parameters, averaged over tied parameters, if any are.

    Of a gradient it is the gradient of a batch with all symmetric images of its positions.
    """
    if not ties_weights(network.config, board_symmetries(game)):
        return vector
    ties = _ties(game, network)
    # One gather per symmetry: a single gather of all is ten times slower on a CPU.
    return sum(jnp.take(vector, tied_to, mode="clip") for tied_to in ties) / len(ties)


def _ties(game: Game, network: Network) -> np.ndarray:
    """Returns [S, N] int32: column n lists the parameters that parameter n is tied to, and itself.

    Tied parameters have identical columns, so their sums are equal to the last bit, and ties
    survive any number of updates.
    """
    permutations = parameter_permutations(network, board_symmetries(game))
    return permutations[:, permutations.min(axis=0)]
