"""The rounds of an opponent that searches with a frozen copy of the network.

Rounds are counted from 0, as numbers or as traced arrays.
"""

import chex
import jax.numpy as jnp

from azjax.search import SearchHyperparameters
from azjax.training.config import Hyperparameters, TrainConfig


def round_simulations(config: TrainConfig, round_: chex.Numeric) -> chex.Array:
    """Returns [] int32: the simulations of a round; they rise in equal steps to those of search."""
    last = config.search.num_simulations
    return jnp.maximum(last * (_at_most_last(config, round_) + 1) // config.rounds, 1)


def round_hyperparameters(
    config: TrainConfig, hyperparameters: Hyperparameters, round_: chex.Numeric
) -> SearchHyperparameters:
    """Returns those of the search in a round: the prior's weight rises in equal steps."""
    search, first = hyperparameters.search, hyperparameters.first_prior_weight
    share = _at_most_last(config, round_) / max(config.rounds - 1, 1)
    weight = first + share * (search.prior_weight - first)
    return search.without_noise()._replace(prior_weight=weight)


def _at_most_last(config: TrainConfig, round_: chex.Numeric) -> chex.Array:
    """Returns [] int32: the round, or the last one after all are passed."""
    return jnp.minimum(round_, config.rounds - 1).astype(jnp.int32)
