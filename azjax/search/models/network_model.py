"""The model that goes with a network."""

import chex

from azjax.games import Game
from azjax.networks import ModelNetwork, Network
from azjax.search.models.evaluation import evaluate_with_network
from azjax.search.models.learnt import learnt_model
from azjax.search.models.model import Model
from azjax.search.models.rollouts import evaluate_with_mixture
from azjax.search.models.rules import rules_model


def network_model(
    game: Game, network: Network, rollout_weight: chex.Numeric | None = None
) -> Model:
    """Returns the model that a network is searched over: its own, or else the rules.

    Args:
      game: The game.
      network: Evaluates leaves. If it predicts no values, those are the results of random rollouts
        alone.
      rollout_weight: The weight of a random rollout in a leaf's value, if it has any; then the
        search is over the rules, whatever the network.
    """
    if rollout_weight is None and isinstance(network, ModelNetwork):
        return learnt_model(game, network)
    evaluate = evaluate_with_network(game, network)
    weight = 1.0 if network.config.value_head == "none" else rollout_weight
    if weight is not None:
        evaluate = evaluate_with_mixture(game, evaluate, weight)
    return rules_model(game, evaluate)
