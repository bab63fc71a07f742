"""Players: pure functions from positions to moves, many games at once."""

from collections.abc import Callable
from typing import Any, NamedTuple

import chex
import jax
import jax.numpy as jnp
import numpy as np

from azjax.evaluation.solve import solve
from azjax.games import Game, hash_state
from azjax.networks import Network, Variables
from azjax.search import (
    SearchConfig,
    SearchHyperparameters,
    evaluate_with_network,
    search,
)


class Player(NamedTuple):
    """A player: `act(parameters, keys [B], states [B]) -> actions [B]`, legal in unfinished states.

    What it learnt is apart from what it does, so that one compiled `act` serves many parameters.
    """

    act: Callable[[Any, chex.PRNGKey, Any], chex.Array]
    parameters: Any = ()


def random_player(game: Game) -> Player:
    """Returns the player that draws uniformly from the legal moves."""

    def act(parameters, keys, states):
        del parameters
        return jax.vmap(_draw)(keys, jax.vmap(game.legal_action_mask)(states))

    return Player(act)


def minimax_player(game: Game) -> Player:
    """Returns the player that draws uniformly from the best moves, by the game's exact solution.

    Raises:
      ValueError: The game is too large to be solved.
    """
    solution = solve(game)
    best = solution.action_values == solution.action_values.max(axis=1, keepdims=True)
    hashes = np.asarray(jax.jit(jax.vmap(hash_state))(solution.states))
    order = hashes.argsort()
    if len(np.unique(hashes)) != len(hashes):
        raise ValueError(f"{game.name}: two positions share a hash, so they cannot be looked up")
    table = (jnp.asarray(hashes[order]), jnp.asarray(best[order]))

    def act(table, keys, states):
        sorted_hashes, best = table
        rows = jnp.searchsorted(sorted_hashes, jax.vmap(hash_state)(states))
        return jax.vmap(_draw)(keys, best[rows])

    return Player(act, table)


def network_player(game: Game, network: Network, variables: Variables) -> Player:
    """Returns the player that makes the move its policy likes best, without search."""
    evaluate = evaluate_with_network(game, network)

    def act(variables, keys, states):
        del keys
        return evaluate(variables, states).prior_logits.argmax(axis=-1).astype(jnp.int32)

    return Player(act, variables)


def search_player(
    game: Game,
    network: Network,
    variables: Variables,
    config: SearchConfig,
    hyperparameters: SearchHyperparameters | None = None,
) -> Player:
    """Returns the player that makes the move its search likes best, without noise."""
    evaluate = evaluate_with_network(game, network)
    quiet = (hyperparameters or SearchHyperparameters()).without_noise()

    def act(variables, keys, states):
        return search(game, evaluate, config, quiet, variables, keys, states).action

    return Player(act, variables)


def _draw(key, mask):
    """Returns one of the true entries of a mask [A], each as likely as the others."""
    return jax.random.categorical(key, jnp.where(mask, 0.0, -jnp.inf)).astype(jnp.int32)
