"""Self-play: every game makes T moves by search; a finished game is replaced by a new one."""

import math
from typing import Any

import chex
import jax
import jax.numpy as jnp

from azjax.games import Game, State
from azjax.networks import Variables
from azjax.search import (
    SearchResult,
    discount_of_mover,
    evaluate_with_network,
    reward_of_mover,
    rules_model,
    search,
)
from azjax.support import prng
from azjax.training.auxiliary_targets import record_auxiliary
from azjax.training.collectives import local_shard
from azjax.training.config import Hyperparameters
from azjax.training.context import TrainContext
from azjax.training.start_states import sample_start_states
from azjax.training.state import Games, Trajectory


def init_games(context: TrainContext) -> Games:
    """Returns [B] finished games: the first move replaces each by a new one."""
    num_games = context.config.num_games
    state = context.game.init(jax.random.key(0))
    state = state._replace(terminated=jnp.ones_like(state.terminated))
    return Games(
        state=jax.tree.map(lambda x: jnp.broadcast_to(x, (num_games, *x.shape)), state),
        age=jnp.zeros(num_games, jnp.int32),
    )


def play(
    context: TrainContext,
    hyperparameters: Hyperparameters,
    variables: Variables,
    games: Games,
    key: chex.PRNGKey,
) -> tuple[Games, Trajectory, chex.Array]:
    """Plays T moves in each of B games.

    Returns:
      The games after them, the trajectory [T, B, ...], and [T, B] int32: the length of the game
      that the move ended, 0 where it ended none.
    """
    config, game = context.config, context.game
    model = rules_model(game, evaluate_with_network(game, context.network))

    def move(games: Games, keys: chex.PRNGKey) -> tuple[Games, tuple[Trajectory, chex.Array]]:
        start_keys, search_keys, action_keys = keys[:, :2], keys[:, 2], keys[:, 3]  # of [B, 4]
        games = replace_finished(games, start_games(game, hyperparameters, start_keys))
        result = search(
            model, config.search, hyperparameters.search, variables, search_keys, games.state
        )
        actions = sample_actions(hyperparameters, action_keys, result, games.age)
        after = jax.vmap(game.step)(games.state, actions)
        row = record(games.state, result, after, record_auxiliary(context, result, after))
        games = Games(state=after, age=games.age + 1)
        return games, (row, jnp.where(after.terminated, games.age, 0))

    # The keys of all moves in all games of all devices: one split to compile.
    shape = config.num_moves, config.num_games, 4
    keys = jax.random.split(key, math.prod(shape)).reshape(shape)
    games, (trajectory, lengths) = jax.lax.scan(move, games, local_shard(keys, context.axis_name))
    return games, trajectory, lengths


def start_games(game: Game, hyperparameters: Hyperparameters, keys: chex.PRNGKey) -> Games:
    """Returns [B] new games, for keys [B, 2]."""
    states = sample_start_states(game, hyperparameters, keys)
    return Games(state=states, age=jnp.zeros(len(keys), jnp.int32))


def replace_finished(games: Games, new_games: Games) -> Games:
    """Returns the games with a new one in place of each finished one.

    Every array of the state is replaced: a new game that kept `terminated` or rewards of the old
    one would be searched as a finished game.
    """

    def choose(old: chex.Array, new: chex.Array) -> chex.Array:
        finished = games.state.terminated.reshape((-1,) + (1,) * (old.ndim - 1))
        return jnp.where(finished, new, old)

    return jax.tree.map(choose, games, new_games)


def sample_actions(
    hyperparameters: Hyperparameters, keys: chex.PRNGKey, result: SearchResult, age: chex.Array
) -> chex.Array:
    """Samples [B] actions: from the action weights early in a game, the best one later.

    Args:
      hyperparameters: The temperature, and up to which age actions are sampled.
      keys: [B].
      result: [B, ...].
      age: [B].
    """
    logits = jnp.log(result.action_weights) / hyperparameters.temperature
    sampled = (logits + prng.gumbel(keys, logits.shape[-1])).argmax(axis=-1).astype(jnp.int32)
    return jnp.where(age < hyperparameters.temperature_moves, sampled, result.action)


def record(
    states: State, result: SearchResult, after: State, auxiliary: dict[str, Any]
) -> Trajectory:
    """Returns one row [B, ...] of a trajectory: the moves from `states` to `after`."""
    return Trajectory(
        state=states,
        action_weights=result.action_weights,
        search_value=result.value,
        reward=reward_of_mover(states, after),
        discount=discount_of_mover(states, after),
        auxiliary=auxiliary,
    )
