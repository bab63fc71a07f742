"""How many simulations the searches of self-play make: playout caps, and growth over a run.

Playout cap randomization: "Accelerating Self-Play Learning in Go", Wu 2019, section 3.1. Games that
are played side by side wait for the longest search, so a ply is searched fast in all of them, or
in full in all of them.
"""

import dataclasses
from typing import NamedTuple

import chex
import jax
import jax.numpy as jnp

from azjax.search import SearchConfig, SearchHyperparameters
from azjax.training.config import Hyperparameters, TrainConfig


class PlySearch(NamedTuple):
    """One of the searches of self-play."""

    config: SearchConfig
    hyperparameters: SearchHyperparameters


def list_searches(config: TrainConfig, hyperparameters: Hyperparameters) -> list[PlySearch]:
    """Returns the full searches in the order of a run, then the fast one if there is one.

    The simulations of the full searches double. The fast one plays at full strength, without noise.
    """
    search = hyperparameters.search
    searches = [
        PlySearch(_with_simulations(config, config.first_simulations << i), search)
        for i in range(config.num_search_stages)
    ]
    if config.fast_simulations:
        fast = _with_simulations(config, config.fast_simulations)
        searches.append(PlySearch(fast, search.without_noise()))
    return searches


def sample_searches(
    config: TrainConfig,
    hyperparameters: Hyperparameters,
    budget_share: chex.Numeric,
    key: chex.PRNGKey,
) -> chex.Array:
    """Samples [T] int32: which of the searches each ply is searched by.

    The full search is that of the share of the run's length that is done. Given the same key, the
    plies are the same on every device, so none waits for another.
    """
    stage = search_stage(config, budget_share)
    is_full = jax.random.uniform(key, (config.num_moves,)) < hyperparameters.full_search_share
    return jnp.where(is_full | (config.fast_simulations == 0), stage, config.num_search_stages)


def search_stage(config: TrainConfig, budget_share: chex.Numeric) -> chex.Array:
    """Returns [] int32: which of the full searches is that of a share of the run's length."""
    num_stages = config.num_search_stages
    return jnp.minimum(jnp.int32(budget_share * num_stages), num_stages - 1)


def mean_simulations(searches: list[PlySearch], which: chex.Array) -> chex.Array:
    """Returns []: simulations per move, from the index [T] of each ply's search."""
    return jnp.array([one.config.simulations_made for one in searches], jnp.float32)[which].mean()


def policy_weight(
    config: TrainConfig, hyperparameters: Hyperparameters, which: chex.Array
) -> chex.Array:
    """Returns []: the weight of a ply in the policy loss, from the index of its search.

    It is 0 for a fast search. The mean weight is 1, so the policy keeps its share of the loss.
    """
    return (which < config.num_search_stages) / hyperparameters.full_search_share


def _with_simulations(config: TrainConfig, num_simulations: int) -> SearchConfig:
    return dataclasses.replace(config.search, num_simulations=num_simulations)
