"""Reanalyse: positions of replay are searched again by the newest network.

"Online and Offline Reinforcement Learning by Planning with a Learned Model", Schrittwieser et al.,
NeurIPS 2021.
"""

import functools
from typing import Any

import chex
import jax

from azjax.games import State
from azjax.search import network_model, search
from azjax.training.collectives import split_over_games
from azjax.training.config import Hyperparameters
from azjax.training.context import TrainContext
from azjax.training.selfplay.search_record import record_search
from azjax.training.state import Replay, TrainState

_CHILD = 3  # of the run's key; an iteration splits three others from it


def reanalyse(
    context: TrainContext, hyperparameters: Hyperparameters, state: TrainState, replay: Replay
) -> Replay:
    """Returns the replay with some of its rows as the search of self-play finds them now.

    From iteration to iteration the rows go on around the ring, so that all are searched equally
    often. What the search gives is replaced: action weights, values, proven bounds and surprise;
    what was played is not. Rows that are not written yet are searched to no effect.

    Args:
      context: The rows, the game and the network.
      hyperparameters: Those of the search.
      state: The run before the iteration: its newest network, its key and its iteration.
      replay: [C, B, ...].
    """
    config, moves = context.config, replay.trajectory
    num_rows = config.num_reanalysed_moves
    first = state.iteration % (config.replay_moves // num_rows) * num_rows
    shape = num_rows, config.num_games
    key = jax.random.fold_in(state.key, _CHILD)
    keys = split_over_games(key, shape, context.axis_name)

    model = network_model(context.game, context.network)
    variables = state.learner.ema_variables

    def search_row(row: tuple[State, chex.PRNGKey]) -> dict[str, Any]:
        states, keys = row
        result = search(
            model,
            config.search,
            hyperparameters.search,
            variables,
            keys,
            states,
            roots_alone=True,
        )
        return record_search(config, result)

    slice_rows = functools.partial(
        jax.lax.dynamic_slice_in_dim, start_index=first, slice_size=num_rows
    )
    found = jax.lax.map(search_row, (jax.tree.map(slice_rows, moves.state), keys))
    renewed = jax.tree.map(
        lambda ring, new: jax.lax.dynamic_update_slice_in_dim(ring, new, first, axis=0),
        {name: getattr(moves, name) for name in found},
        found,
    )
    return replay._replace(trajectory=moves._replace(**renewed))
