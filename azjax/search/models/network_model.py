"""The model that goes with a network."""

from azjax.games import Game
from azjax.networks import ModelNetwork, Network
from azjax.search.models.evaluation import evaluate_with_network
from azjax.search.models.learnt import learnt_model
from azjax.search.models.model import Model
from azjax.search.models.rollouts import evaluate_with_mixture
from azjax.search.models.rules import rules_model


def network_model(game: Game, network: Network) -> Model:
    """Returns the model that a network is searched over: its own, or else the rules.

    Where the network predicts no values, those of leaves are the results of random rollouts.
    """
    if isinstance(network, ModelNetwork):
        return learnt_model(game, network)
    evaluate = evaluate_with_network(game, network)
    if network.config.value_head == "none":
        evaluate = evaluate_with_mixture(game, evaluate, rollout_weight=1.0)
    return rules_model(game, evaluate)
