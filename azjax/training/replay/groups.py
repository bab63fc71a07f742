"""Groups of games: each gives the same number of samples to every batch.

So a batch does not depend on how the games are laid out over devices, and means over positions are
those of a group.
"""

import chex

from azjax.training.hooks import TrainContext


def by_group(context: TrainContext, array: chex.Array) -> chex.Array:
    """Returns [G, K] of [C, B]: the K positions of each of this device's groups, row by row."""
    num_rows, group_size = len(array), context.config.group_size
    grouped = array.reshape(num_rows, -1, group_size).swapaxes(0, 1)
    return grouped.reshape(-1, num_rows * group_size)


def from_groups(context: TrainContext, array: chex.Array) -> chex.Array:
    """Returns [C, B] of [G, K], as `by_group` orders them."""
    num_groups, group_size = len(array), context.config.group_size
    rows = array.reshape(num_groups, -1, group_size).swapaxes(0, 1)
    return rows.reshape(-1, num_groups * group_size)
