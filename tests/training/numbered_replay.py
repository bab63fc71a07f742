"""A replay whose positions are numbered, and samples from it."""

import dataclasses

import numpy as np

from azjax.training import make_context
from azjax.training.replay.replay import gather_samples, sample_bits, sample_positions
from azjax.training.replay.sample_weights import sample_weights
from azjax.training.replay.targets import Targets
from azjax.training.state import Replay, Trajectory

from .tiny import CONFIG, HYPERPARAMETERS, as_float32

MANY = dataclasses.replace(CONFIG, batch_size=8000)
ROWS, ENVS = CONFIG.replay_moves, CONFIG.num_games


def numbered(num_written, surprise=None):
    """Returns a replay in which every field of a position encodes its row and env."""
    number = np.arange(ROWS * ENVS).reshape(ROWS, ENVS)
    trajectory = Trajectory(
        state=number.astype(np.int32),
        action_weights=np.repeat(number[:, :, None], 9, axis=2).astype(np.float32),
        search_value=np.zeros((ROWS, ENVS), np.float32),
        reward=np.zeros((ROWS, ENVS), np.float32),
        discount=np.zeros((ROWS, ENVS), np.float32),
        surprise=surprise,
    )
    return Replay(trajectory, np.int32(num_written)), Targets(number.astype(np.float32))


def sample_first(config, replay, targets, key, numbers=None, axis_name=None):
    """Returns the sample of the first update; `numbers` are the hyperparameters."""
    context = make_context(config, axis_name)
    numbers = as_float32(HYPERPARAMETERS) if numbers is None else numbers
    weights = sample_weights(context, numbers, replay)
    positions = sample_positions(context, replay, weights, sample_bits(context, key)[0])
    return gather_samples(context, replay, targets, positions)
