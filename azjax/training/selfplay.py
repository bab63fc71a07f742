"""Self-play: each game in flight makes T moves by search; one that ended gives way to a new one."""

import math
from typing import Any

import chex
import jax
import jax.numpy as jnp

from azjax.games import Game
from azjax.networks import Network
from azjax.search import (
    SearchResult,
    discount_of_mover,
    evaluate_with_network,
    reward_of_mover,
    rules_model,
    search,
)
from azjax.support import prng
from azjax.training.collectives import local_shard
from azjax.training.config import Hyperparameters, TrainConfig
from azjax.training.start_states import sample_start_states
from azjax.training.state import Games, Trajectory


def init_games(game: Game, num_games: int) -> Games:
    """Returns [B] games that are over, so that the first move starts new ones in their places."""
    state = game.init(jax.random.key(0))
    state = state._replace(terminated=jnp.ones_like(state.terminated))
    return Games(
        state=jax.tree.map(lambda x: jnp.broadcast_to(x, (num_games, *x.shape)), state),
        age=jnp.zeros(num_games, jnp.int32),
    )


def start_games(game: Game, hyperparameters: Hyperparameters, keys: chex.PRNGKey) -> Games:
    """Returns [B] new games, for keys [B, 2]."""
    states = sample_start_states(game, hyperparameters, keys)
    return Games(state=states, age=jnp.zeros(len(keys), jnp.int32))


def play(
    game: Game,
    network: Network,
    config: TrainConfig,
    hyperparameters: Hyperparameters,
    variables: Any,
    games: Games,
    key: chex.PRNGKey,
    axis_name: str | None,
) -> tuple[Games, tuple[Trajectory, chex.Array]]:
    """Plays T moves in each of B games.

    Returns:
      The games in flight after them, the trajectory [T, B, ...], and [T, B] int32: the length of
      the game that the move ended, 0 where it ended none.
    """
    model = rules_model(game, evaluate_with_network(game, network))

    def move(games: Games, keys: chex.PRNGKey):  # [B, 4]
        start_keys, search_keys, action_keys = keys[:, :2], keys[:, 2], keys[:, 3]
        games = replace_finished(games, start_games(game, hyperparameters, start_keys))
        result = search(
            model,
            config.search,
            hyperparameters.search,
            variables,
            search_keys,
            games.state,
        )
        actions = sample_actions(
            hyperparameters, action_keys, result.action, result.action_weights, games.age
        )
        after = jax.vmap(game.step)(games.state, actions)
        made = record(games.state, result, after)
        played = Games(state=after, age=games.age + 1)
        return played, (made, jnp.where(after.terminated, played.age, 0))

    # For all games of all devices and all moves at once: a single split to compile.
    shape = config.num_moves, config.num_games, 4
    keys = jax.random.split(key, math.prod(shape)).reshape(shape)
    return jax.lax.scan(move, games, local_shard(keys, axis_name))


def sample_actions(
    hyperparameters: Hyperparameters,
    keys: chex.PRNGKey,
    best_action: chex.Array,
    action_weights: chex.Array,
    age: chex.Array,
) -> chex.Array:
    """Returns [B]: each game's move, drawn from the search's weights early, its best move later.

    Args:
      hyperparameters: Up to which age moves are drawn, and at which temperature.
      keys: [B].
      best_action: [B].
      action_weights: [B, A].
      age: [B].
    """
    logits = jnp.log(action_weights) / hyperparameters.temperature
    drawn = (logits + prng.gumbel(keys, logits.shape[-1])).argmax(axis=-1).astype(jnp.int32)
    return jnp.where(age < hyperparameters.temperature_moves, drawn, best_action)


def record(states: Any, result: SearchResult, after: Any) -> Trajectory:
    """Returns one row [B, ...] of a trajectory: the moves from `states` to `after`."""
    return Trajectory(
        state=states,
        action_weights=result.action_weights,
        search_value=result.value,
        reward=reward_of_mover(states, after),
        discount=discount_of_mover(states, after),
    )


def replace_finished(games: Games, fresh: Games) -> Games:
    """Returns the games, a fresh one wherever one has finished.

    Every array of the state is replaced: a new game that kept `terminated` or rewards of the old
    one would be searched as if it were over.
    """

    def choose(old, new):
        finished = games.state.terminated.reshape((-1,) + (1,) * (old.ndim - 1))
        return jnp.where(finished, new, old)

    return jax.tree.map(choose, games, fresh)
