"""AlphaGo's third stage: a value network for a policy, from one position of each of its games.

A game whose start replay has overwritten may give another position than before.

"Mastering the game of Go with deep neural networks and tree search", Silver et al., Nature 2016:
successive positions differ by one stone and have the same result, so a network that learns from all
of them remembers games. The policy that the run begins from plays both sides, sampling its moves,
and stays what the policy head learns.
"""

import dataclasses

import chex
import jax.numpy as jnp

from azjax.support import prng
from azjax.training.algorithms.algorithm import TrainContext, freeze_one
from azjax.training.algorithms.alphazero import Batch, alphazero, check_values, make_batch
from azjax.training.collectives import local_shard
from azjax.training.config import Hyperparameters, TrainConfig
from azjax.training.replay.auxiliary import game_ends
from azjax.training.replay.targets import Targets
from azjax.training.selfplay.games import play
from azjax.training.state import Games, PlayProgress, Positions, Replay, TrainState, Trajectory


def _check(config: TrainConfig) -> None:
    check_values(config)
    if config.search.algorithm != "policy":
        raise ValueError(
            f"search.algorithm={config.search.algorithm!r}: must be 'policy' for algorithm "
            f"{config.algorithm}, which plays without search"
        )


def _play(
    context: TrainContext,
    hyperparameters: Hyperparameters,
    state: TrainState,
    key: chex.PRNGKey,
    budget_share: chex.Numeric,
) -> tuple[Games, Trajectory, PlayProgress]:
    """Plays T moves in each of B games by the frozen policy, in both seats; samples every move."""
    hyperparameters = hyperparameters._replace(temperature_moves=jnp.inf)
    frozen = state.frozen
    assert frozen is not None, "the algorithm has a frozen policy"
    return play(context, hyperparameters, frozen.variables, state.games, key, budget_share)


def _make_batch(
    context: TrainContext, replay: Replay, targets: Targets, positions: Positions
) -> Batch:
    """Returns a batch of positions, each replaced by the one that its game gives."""
    numbers = local_shard(jnp.arange(context.config.num_games)[None], context.axis_name)[0]
    rows, is_known = _rows_of_games(replay, positions, numbers)
    chosen = positions._replace(rows=rows)
    batch = make_batch(context, replay, targets, chosen)
    return batch._replace(value_weight=is_known.astype(jnp.float32))


def _rows_of_games(
    replay: Replay, positions: Positions, numbers: chex.Array
) -> tuple[chex.Array, chex.Array]:
    """Returns [S]: the row of each position's game that is learnt from, and if its result is known.

    The row is the same for all positions of a game, and depends on the number [B] of its
    environment among those of all devices. The result of a game that has not ended is not
    known: the last game of its environment that has ended takes its place. Before there is one, a
    position stands for itself, without a result.
    """
    discount, num_rows = replay.trajectory.discount, replay.num_rows
    rows, envs = positions.rows, positions.envs
    end = game_ends(replay)[rows, envs]
    end = jnp.where(end < num_rows, end, _last_ends(replay)[envs])
    # From its end back to the end of the game before, or to the oldest row.
    back = jnp.arange(num_rows)[None]
    before = (end[:, None] - back) % num_rows
    is_older = replay.order(before) > replay.order(end[:, None])
    is_start = ((discount[before, envs[:, None]] == 0) & (back > 0)) | is_older
    length = is_start.argmax(axis=1)
    length = jnp.where(is_start.any(axis=1), length, num_rows)
    game = (numbers[envs] * num_rows + end).astype(jnp.uint32)
    chosen = (end - prng.hash_below(game, length)) % num_rows
    is_known = end < num_rows
    return jnp.where(is_known, chosen, rows), is_known


def _last_ends(replay: Replay) -> chex.Array:
    """Returns [B] int32: the row in which each environment's last game has ended, C without one."""
    discount, num_rows = replay.trajectory.discount, replay.num_rows
    place = replay.order(jnp.arange(num_rows))
    is_written = place >= num_rows - replay.num_written
    place = jnp.where((discount == 0) & is_written[:, None], place[:, None], -1)
    return jnp.where(place.max(axis=0) < 0, num_rows, place.argmax(axis=0)).astype(jnp.int32)


policy_value = dataclasses.replace(
    alphazero,
    options=("network.value_head", "network.equivariant"),
    hyperparameters=(
        "random_start_fraction",
        "random_start_moves",
        "temperature",
        "value_loss_weight",
    ),
    check=_check,
    play=_play,
    make_batch=_make_batch,
    freeze=freeze_one,
    improves_an_agent=True,
)
