"""A replay whose positions are numbered, and samples from it."""

import dataclasses
import functools
from typing import Any, NamedTuple

import jax
import numpy as np

from azjax.training import make_context
from azjax.training.collectives import split_over_games
from azjax.training.sampling import sample_positions, sample_weights
from azjax.training.state import Replay, TrainState, Trajectory
from azjax.training.targets import Targets

from .tiny import CONFIG


class Sample(NamedTuple):
    """Positions of a replay, and the symmetries to transform them by."""

    state: Any
    action_weights: Any
    targets: Targets
    symmetry: Any


MANY = dataclasses.replace(CONFIG, batch_size=8000)
NO_STATE = TrainState(*7 * [None], parts={})  # no part has one
ROWS, GAMES = CONFIG.replay_moves, CONFIG.num_games


def numbered(num_written, **records):
    """Returns a replay in which every field of a position encodes its row and game."""
    number = np.arange(ROWS * GAMES).reshape(ROWS, GAMES)
    trajectory = Trajectory(
        state=number.astype(np.int32),
        action=np.zeros((ROWS, GAMES), np.int16),
        action_weights=np.repeat(number[:, :, None], 9, axis=2).astype(np.float32),
        search_value=np.zeros((ROWS, GAMES), np.float32),
        reward=np.zeros((ROWS, GAMES), np.float32),
        discount=np.zeros((ROWS, GAMES), np.float32),
        records=records,
    )
    return Replay(trajectory, np.int32(num_written)), Targets(number.astype(np.float32), {})


def sample_first(config, replay, targets, key, axis_name=None):
    """Returns the positions of the first update, with what replay and targets hold of each."""
    context = make_context(config, axis_name)
    weights = sample_weights(context, NO_STATE, replay)
    keys = split_over_games(key, (1, config.num_groups), axis_name)[0]
    positions = sample_positions(context, replay, weights, keys)
    gather = functools.partial(jax.tree.map, lambda x: x[positions.rows, positions.games])
    moves = replay.trajectory
    fields = moves.state, moves.action_weights, targets
    return Sample(*map(gather, fields), positions.symmetry)
