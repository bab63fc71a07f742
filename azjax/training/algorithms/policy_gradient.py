"""A policy gradient by rounds: REINFORCE against a search with a frozen copy of the policy.

The copy is that which passed the last round's test. From round to round the search makes more
rollouts, and trusts the copy's prior more. A run's session tests the policy and renews the copy.
Rounds are counted from 0, as numbers or as traced arrays.
"""

import chex
import jax.numpy as jnp

from azjax.games import State
from azjax.search import (
    SearchHyperparameters,
    TreeSearch,
    get_search,
    network_model,
    used_hyperparameters,
)
from azjax.training.algorithms.algorithm import Algorithm, TrainContext, freeze_one
from azjax.training.algorithms.alphazero import alphazero
from azjax.training.algorithms.options import POLICY_GRADIENT_HYPERPARAMETERS
from azjax.training.algorithms.reinforce import (
    METRICS,
    check_policy,
    compute_returns,
    empty_action_record,
    make_action_batch,
    record_action,
    reinforce_loss,
)
from azjax.training.config import Hyperparameters, TrainConfig
from azjax.training.selfplay.policy_games import Opponent, play_against
from azjax.training.state import Games, PlayProgress, TrainState, Trajectory


def _check(config: TrainConfig) -> None:
    check_policy(config)
    search = get_search(config.search.algorithm)
    # The simulations of a round are traced, which sequential halving cannot plan for.
    if not isinstance(search, TreeSearch) or not search.is_anytime:
        raise ValueError(
            f"search.algorithm={config.search.algorithm!r}: must be a TreeSearch that is anytime, "
            f"such as policy_rollouts, for algorithm {config.algorithm}"
        )
    if "prior_weight" not in used_hyperparameters(config.search.algorithm):
        raise ValueError(
            f"search.algorithm={config.search.algorithm!r}: must use search.prior_weight, as "
            f"policy_rollouts does, for algorithm {config.algorithm}, whose rounds raise it"
        )


def _play(
    context: TrainContext,
    hyperparameters: Hyperparameters,
    state: TrainState,
    key: chex.PRNGKey,
    budget_share: chex.Numeric,
) -> tuple[Games, Trajectory, PlayProgress]:
    """Plays T moves of the policy in each of B games against the round's search."""
    del budget_share
    config, frozen = context.config, state.frozen
    assert frozen is not None, "the algorithm has an opponent"
    of_round = round_hyperparameters(config, hyperparameters, frozen.renewals)
    num_simulations = round_simulations(config, frozen.renewals)
    search = get_search(config.search.algorithm)
    assert isinstance(search, TreeSearch)
    model = network_model(context.game, context.network)

    def reply(keys: chex.PRNGKey, states: State) -> chex.Array:
        arguments = model, config.search, of_round, frozen.variables, keys, states
        return search(*arguments, num_simulations=num_simulations).action

    opponent = Opponent(reply, num_simulations.astype(jnp.float32))
    return play_against(context, hyperparameters, state, key, opponent)


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


policy_gradient = Algorithm(
    options=("rounds", "network.value_head", "network.equivariant"),
    hyperparameters=(*POLICY_GRADIENT_HYPERPARAMETERS, "first_prior_weight"),
    check=_check,
    make_network=alphazero.make_network,
    play=_play,
    record=record_action,
    empty_record=empty_action_record,
    compute_targets=compute_returns,
    make_batch=make_action_batch,
    loss=reinforce_loss,
    extra_metrics=lambda config: METRICS,
    freeze=freeze_one,
    has_rounds=True,
)
