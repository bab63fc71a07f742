"""A replay whose positions are numbered, and samples from it."""

import dataclasses

import numpy as np

from azjax.training import make_context
from azjax.training.replay.replay import gather_samples, sample_bits, sample_positions
from azjax.training.replay.sample_weights import sample_weights
from azjax.training.replay.targets import Targets
from azjax.training.state import Replay, TrainState, Trajectory

from .tiny import CONFIG

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
    """Returns the sample of the first update."""
    context = make_context(config, axis_name)
    weights = sample_weights(context, NO_STATE, replay)
    positions = sample_positions(context, replay, weights, sample_bits(context, key)[0])
    return gather_samples(context, replay, targets, positions)
