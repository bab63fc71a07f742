"""Players: pure functions from positions to moves, many games at once.

What a player does, its `act`, is hashable and equal for two players that differ only in what they
have learnt, its `parameters`: so both share one compiled program.
"""

import dataclasses
from collections.abc import Callable
from typing import Any, NamedTuple

import chex
import jax
import jax.numpy as jnp
import numpy as np

from azjax.evaluation.solve import solve
from azjax.games import Game, hash_state, sample_from_mask
from azjax.networks import Network, Variables
from azjax.search import (
    SearchConfig,
    SearchHyperparameters,
    evaluate_with_mixture,
    evaluate_with_network,
    evaluate_with_rollouts,
    rules_model,
    search,
)

Act = Callable[[Any, chex.PRNGKey, Any], chex.Array]


class Player(NamedTuple):
    """A player: `act(parameters, keys [B], states [B]) -> actions [B]`, legal in unfinished states.

    The actions depend on nothing else; `act` is hashable.
    """

    act: Act
    parameters: Any = ()


def random_player(game: Game) -> Player:
    """Returns the player that draws uniformly from the legal moves."""
    return Player(_Random(game))


def optimal_player(game: Game) -> Player:
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
    return Player(_Optimal(game), (hashes[order], best[order]))


def network_player(game: Game, network: Network, variables: Variables) -> Player:
    """Returns the player that makes the move its policy likes best, without search."""
    return Player(_Policy(game, network), variables)


class SearchParameters(NamedTuple):
    """What a player with search is given beside the position."""

    variables: Any  # the network's; () where rollouts alone evaluate leaves
    hyperparameters: SearchHyperparameters  # without noise
    rollout_weight: float  # of a rollout's result in a leaf's value, against the network's


def search_player(
    game: Game,
    network: Network,
    variables: Variables,
    config: SearchConfig,
    hyperparameters: SearchHyperparameters | None = None,
    rollout_weight: float = 0.0,
) -> Player:
    """Returns the player that makes the move its search likes best, without noise.

    Its leaves are evaluated by the network, mixed with rollouts where their weight is above 0.
    """
    quiet = (hyperparameters or SearchHyperparameters()).without_noise()
    act = _Search(game, config, network, has_rollouts=rollout_weight > 0)
    return Player(act, SearchParameters(variables, quiet, rollout_weight))


def mcts_player(
    game: Game, config: SearchConfig, hyperparameters: SearchHyperparameters | None = None
) -> Player:
    """Returns the player without a network, whose search evaluates leaves by rollouts.

    With the algorithm `uct` it is plain Monte-Carlo tree search.
    """
    quiet = (hyperparameters or SearchHyperparameters()).without_noise()
    return Player(_Search(game, config, None, has_rollouts=True), SearchParameters((), quiet, 1.0))


@dataclasses.dataclass(frozen=True)
class _Random:
    game: Game

    def __call__(self, parameters, keys, states):
        return jax.vmap(sample_from_mask)(keys, jax.vmap(self.game.legal_action_mask)(states))


@dataclasses.dataclass(frozen=True)
class _Optimal:
    game: Game

    def __call__(self, table, keys, states):
        sorted_hashes, best = (jnp.asarray(x) for x in table)
        hashes = jax.vmap(hash_state)(jax.vmap(self.game.without_move_count)(states))
        return jax.vmap(sample_from_mask)(keys, best[jnp.searchsorted(sorted_hashes, hashes)])


@dataclasses.dataclass(frozen=True)
class _Policy:
    game: Game
    network: Network

    def __call__(self, variables, keys, states):
        evaluate = evaluate_with_network(self.game, self.network)
        return evaluate(variables, keys, states).prior_logits.argmax(axis=-1).astype(jnp.int32)


@dataclasses.dataclass(frozen=True)
class _Search:
    game: Game
    config: SearchConfig
    network: Network | None
    has_rollouts: bool

    def __call__(self, parameters, keys, states):
        variables, hyperparameters, rollout_weight = parameters
        model = rules_model(self.game, self._make_evaluate(rollout_weight))
        result = search(model, self.config, hyperparameters, variables, keys, states)
        return result.action

    def _make_evaluate(self, rollout_weight):
        if self.network is None:
            return evaluate_with_rollouts(self.game)
        by_network = evaluate_with_network(self.game, self.network)
        if not self.has_rollouts:
            return by_network
        return evaluate_with_mixture(self.game, by_network, rollout_weight)
