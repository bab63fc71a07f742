"""Replay: the last moves of every game as a ring on the device, and samples from it."""

import functools
import math
from typing import Any, NamedTuple

import chex
import jax
import jax.numpy as jnp

from azjax.games import Game, State
from azjax.networks import Network
from azjax.search import Search, SearchResult, network_model, search
from azjax.support.component import structure
from azjax.training.collectives import local_shard
from azjax.training.hooks import TrainContext
from azjax.training.replay.sample_weights import find_positions
from azjax.training.replay.targets import Targets
from azjax.training.selfplay.games import make_row
from azjax.training.state import Move, Positions, Replay, Searched, Trajectory


def init_replay(context: TrainContext) -> Replay:
    """Returns a replay without moves; every row reads as the end of a game."""
    shape = context.config.replay_moves, context.config.num_games
    row = _abstract_row(context)
    zeros = jax.tree.map(lambda x: jnp.zeros((*shape, *x.shape[1:]), x.dtype), row)
    state = context.game.init(jax.random.key(0))
    states = jax.tree.map(lambda x: jnp.broadcast_to(x, shape + x.shape), state)
    return Replay(zeros._replace(state=states), num_written=jnp.int32(0))


def _abstract_row(context: TrainContext) -> Trajectory:
    """Returns the shapes of a row [1, ...] of the trajectories that the algorithm plays."""
    game = context.game
    state = jax.eval_shape(lambda: jax.tree.map(lambda x: x[None], game.init(jax.random.key(0))))
    action = jax.ShapeDtypeStruct((1,), jnp.int32)
    if context.algorithm.records_search:
        own = structure(context.config.search)
        found = Searched(_abstract_result(own, game, context.network), 0.0)
        move = Move(state, action, state, found)
        return jax.eval_shape(functools.partial(make_row, context), move)
    number = jax.ShapeDtypeStruct((1,), jnp.float32)
    return Trajectory(
        state=state,
        action=jax.ShapeDtypeStruct((1,), jnp.int16),
        action_weights=jax.ShapeDtypeStruct((1, game.num_actions), jnp.float32),
        search_value=number,
        reward=number,
        discount=number,
        records={},
    )


@functools.cache
def _abstract_result(own: jax.tree_util.PyTreeDef, game: Game, network: Network) -> SearchResult:
    """Returns the shapes of the result [1, ...] of a search of a structure; slow, so once."""
    numbers = [jax.ShapeDtypeStruct((), jnp.float32)] * own.num_leaves

    def search_one(config: Search) -> SearchResult:
        key = jax.random.key(0)
        state = jax.tree.map(lambda x: x[None], game.init(key))
        model, variables = network_model(game, network), network.init(key)
        return search(model, config, variables, key[None], state, roots_alone=True)

    return jax.eval_shape(search_one, own.unflatten(numbers))


def insert(replay: Replay, trajectory: Trajectory) -> Replay:
    """Returns the replay with T more moves of each game in place of the oldest.

    C is a multiple of T, so a write never wraps around the end of the ring.
    """
    chex.assert_is_divisible(replay.num_rows, len(trajectory.reward))
    chex.assert_trees_all_equal_structs(replay.trajectory, trajectory)

    def write(ring: chex.Array, new: chex.Array) -> chex.Array:
        return jax.lax.dynamic_update_slice_in_dim(ring, new, replay.next_row, axis=0)

    return Replay(
        trajectory=jax.tree.map(write, replay.trajectory, trajectory),
        num_written=replay.num_written + len(trajectory.reward),
    )


def sample_bits(context: TrainContext, key: chex.PRNGKey) -> chex.Array:
    """Samples [U, G, N] uint32, the random bits of N samples from each of this device's G groups.

    Every group of games gives the same number of samples, so a batch does not depend on how the
    games are sharded over devices.

    Args:
      context: The sizes, of U updates.
      key: The same on every device.
    """
    config = context.config
    shape = config.num_updates, config.num_groups, config.batch_size // config.num_groups
    bits = jax.random.bits(key, (math.prod(shape),))  # one axis compiles the fastest
    return local_shard(bits.reshape(shape), context.axis_name)


def sample_positions(
    context: TrainContext, replay: Replay, cumulative_weights: chex.Array | None, bits: chex.Array
) -> Positions:
    """Samples the positions of this device's share of a batch.

    Args:
      context: The sizes.
      replay: [C, B, ...].
      cumulative_weights: [G, K], from `sample_weights`; None samples the moves written uniformly.
      bits: [G, N] uint32, of one update, from `sample_bits`.
    """
    config, (num_rows, num_games) = context.config, replay.trajectory.reward.shape
    group_size = config.group_size
    if cumulative_weights is None:
        total_weight = jnp.minimum(replay.num_written, num_rows) * group_size
    else:
        total_weight = cumulative_weights[:, -1:]
    num_symmetries = len(context.game.symmetries.cells)
    # Row, game and symmetry come from one number: three samples would take longer to compile. The
    # bits are so many that the remainder is as good as uniform.
    choices = total_weight * num_symmetries
    number = (bits % choices.astype(jnp.uint32)).astype(jnp.int32)
    number, symmetry = jnp.divmod(number, num_symmetries)
    symmetry = symmetry * config.symmetries  # 0, the identity, without symmetries
    if cumulative_weights is not None:
        number = find_positions(cumulative_weights, number)
    rows, games = jnp.divmod(number, group_size)
    games = games + group_size * jnp.arange(num_games // group_size)[:, None]
    return Positions(rows.reshape(-1), games.reshape(-1), symmetry.reshape(-1), bits.reshape(-1))


class Sample(NamedTuple):
    """Positions to learn from."""

    state: State  # [S, ...]
    action_weights: chex.Array  # [S, A] the policy targets
    targets: Targets  # [S]
    symmetry: chex.Array  # [S] int32, the symmetry of the board to transform the position by
    of_parts: dict[str, Any]  # [S, ...] the targets of parts, by name
    policy_weight: chex.Array | None = None  # [S], None where all are 1


def gather_samples(
    context: TrainContext, replay: Replay, targets: Targets, positions: Positions
) -> Sample:
    """Returns what replay [C, B, ...] and targets [C, B] hold of S positions."""
    rows, games, symmetry, _ = positions
    moves = replay.trajectory
    sampled = jax.tree.map(lambda x: x[rows, games], targets)
    of_parts = {
        part.name: part.sample_target(context, replay, sampled.of_parts.get(part.name), positions)
        for part in context.parts("loss")
    }
    return Sample(
        state=jax.tree.map(lambda x: x[rows, games], moves.state),
        action_weights=policy_targets(context, moves, rows, games),
        targets=sampled,
        symmetry=symmetry,
        of_parts=of_parts,
        policy_weight=None if moves.policy_weight is None else moves.policy_weight[rows, games],
    )


def policy_targets(
    context: TrainContext, moves: Trajectory, rows: chex.Array, games: chex.Array
) -> chex.Array:
    """Returns [..., A]: the policy targets at rows and games [...], as the parts map them."""
    policy = moves.action_weights[rows, games]
    for part in context.parts("policy_target"):
        policy = part.policy_target(context, moves, rows, games, policy)
    return policy
