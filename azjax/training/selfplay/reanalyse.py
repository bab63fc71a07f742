"""Reanalyse: positions of replay are searched again by the newest network.

"Online and Offline Reinforcement Learning by Planning with a Learned Model", Schrittwieser et al.,
NeurIPS 2021.
"""

import functools
from typing import Any

import chex
import jax

from azjax.games import State
from azjax.search import network_model, tightest_bounds, unpack_bounds
from azjax.training.algorithms.algorithm import TrainContext
from azjax.training.collectives import split_over_games
from azjax.training.config import Hyperparameters, TrainConfig
from azjax.training.selfplay.games import record_search, search_roots
from azjax.training.selfplay.simulations import list_searches, search_stage
from azjax.training.state import Replay, TrainState

_CHILD = 3  # of the run's key; an iteration splits three others from it


def reanalyse(
    context: TrainContext,
    hyperparameters: Hyperparameters,
    state: TrainState,
    replay: Replay,
    budget_share: chex.Numeric,
) -> Replay:
    """Returns the replay with some of its rows as the search of self-play finds them now.

    What the search gives is replaced: action weights, values and surprise. What it has proven stays
    and is added to. What was played is not replaced. Rows that are not written yet are searched to
    no effect.

    Args:
      context: The rows, the game and the network.
      hyperparameters: Those of the search.
      state: The run before the iteration: its newest network, its key and its iteration.
      replay: [C, B, ...].
      budget_share: The share of the run's length that is done, which the simulations follow.
    """
    config, moves = context.config, replay.trajectory
    num_rows = config.num_reanalysed_moves
    first = _first_row(config, state.iteration)
    shape = num_rows, config.num_games
    key = jax.random.fold_in(state.key, _CHILD)
    keys = split_over_games(key, shape, context.axis_name)

    model = network_model(context.game, context.network)
    variables = state.learner.ema_variables
    full = list_searches(config, hyperparameters)[: config.num_search_stages]
    branches = [functools.partial(search_roots, model, one) for one in full]
    stage = search_stage(config, budget_share)

    def search_row(row: tuple[State, chex.Array | None, chex.PRNGKey]) -> dict[str, Any]:
        states, bounds, keys = row
        found = record_search(config, jax.lax.switch(stage, branches, variables, keys, states))
        if bounds is None:
            return found
        bounds = tightest_bounds(bounds, found["bounds"])
        value = unpack_bounds(bounds).clip(found["search_value"])
        return found | {"bounds": bounds, "search_value": value}

    slice_rows = functools.partial(
        jax.lax.dynamic_slice_in_dim, start_index=first, slice_size=num_rows
    )
    rows = jax.tree.map(slice_rows, (moves.state, moves.bounds))
    found = jax.lax.map(search_row, (*rows, keys))
    renewed = jax.tree.map(
        lambda ring, new: jax.lax.dynamic_update_slice_in_dim(ring, new, first, axis=0),
        {name: getattr(moves, name) for name in found},
        found,
    )
    return replay._replace(trajectory=moves._replace(**renewed))


def _first_row(config: TrainConfig, iteration: chex.Array) -> chex.Array:
    """Returns [] int32: the first of the rows that an iteration searches.

    They go around the ring against the direction in which it is written, so that they are of many
    ages: in that direction, and as fast as it is written, they would be those just played.
    """
    num_parts = config.replay_moves // config.num_reanalysed_moves
    return (num_parts - 1 - iteration % num_parts) * config.num_reanalysed_moves
