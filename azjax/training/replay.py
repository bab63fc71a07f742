"""Replay: the last moves of every game as a ring on the device."""

import functools

import chex
import jax
import jax.numpy as jnp

from azjax.games import Game
from azjax.networks import Network
from azjax.search import Search, SearchResult, network_model, search
from azjax.support.component import structure
from azjax.training.hooks import TrainContext
from azjax.training.selfplay import make_row
from azjax.training.state import Move, PlayProgress, Replay, Searched, TrainState, Trajectory


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
    game, number = context.game, jax.ShapeDtypeStruct((1,), jnp.float32)
    action = jax.ShapeDtypeStruct((1,), jnp.int32)
    if "record_search" in context.config.algorithm.hooks:
        result = _abstract_result(structure(context.config.search), game, context.network)
    else:
        weights = jax.ShapeDtypeStruct((1, game.num_actions), jnp.float32)
        result = SearchResult(action, weights, number, tree=None)
    state = jax.eval_shape(lambda: jax.tree.map(lambda x: x[None], game.init(jax.random.key(0))))
    move = Move(state, action, state, Searched(result, 0.0))
    return jax.eval_shape(functools.partial(make_row, context), move)


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


def recorded_moves(context: TrainContext, state: TrainState) -> tuple[Trajectory, PlayProgress]:
    """Returns T moves of each game of a replay that stays, for the metrics: the next in turn."""
    replay, num_moves = state.replay, context.config.num_moves
    first = state.iteration * num_moves % jnp.maximum(replay.num_written, 1)
    first = jnp.minimum(first, replay.num_written - num_moves)
    moves, lengths = jax.tree.map(
        lambda x: jax.lax.dynamic_slice_in_dim(x, first, num_moves),
        (replay.trajectory, _game_lengths(replay.trajectory)),
    )
    return moves, PlayProgress(lengths, simulations_per_move=jnp.float32(0))


def _game_lengths(moves: Trajectory) -> chex.Array:
    """Returns [C, B] int32: the moves of the game that a move ended; 0 where it ended none."""
    is_end = moves.discount == 0
    number = 1 + jnp.arange(len(is_end), dtype=jnp.int32)[:, None]
    last_end = jax.lax.cummax(jnp.where(is_end, number, 0), axis=0)
    before = jnp.concatenate([jnp.zeros_like(last_end[:1]), last_end[:-1]])
    return jnp.where(is_end, number - before, 0)
