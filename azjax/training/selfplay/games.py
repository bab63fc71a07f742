"""Self-play: every game makes T moves by search; a finished game is replaced by a new one."""

import functools
import math
from typing import Any, TypeVar

import chex
import jax
import jax.numpy as jnp
import optax

from azjax.games import Game, State
from azjax.networks import Variables
from azjax.search import (
    Model,
    SearchResult,
    discount_of_mover,
    network_model,
    pack_bounds,
    reward_of_mover,
    search,
)
from azjax.support import prng
from azjax.training.algorithms.algorithm import TrainContext
from azjax.training.collectives import split_over_games
from azjax.training.config import Hyperparameters, TrainConfig
from azjax.training.selfplay.simulations import (
    PlySearch,
    list_searches,
    mean_simulations,
    policy_weight,
    sample_searches,
)
from azjax.training.selfplay.start_states import sample_start_states
from azjax.training.state import Games, Move, PlayProgress, TrainState, Trajectory

_Tree = TypeVar("_Tree")


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
    budget_share: chex.Numeric,
) -> tuple[Games, Trajectory, PlayProgress]:
    """Plays T moves in each of B games, both seats by searches with the same network.

    Args:
      context: The sizes.
      hyperparameters: Traced.
      variables: Those of the network that plays.
      games: [B, ...], the games so far.
      key: The same on every device.
      budget_share: [], the share of the run's length that is done.

    Returns:
      The games after them, the trajectory [T, B, ...], and what the metrics report.
    """
    config, game = context.config, context.game
    model = network_model(game, context.network)

    searches = list_searches(config, hyperparameters)
    branches = [functools.partial(search_roots, model, one) for one in searches]

    def move(
        games: Games, ply: tuple[chex.PRNGKey, chex.Array]
    ) -> tuple[Games, tuple[Trajectory, chex.Array]]:
        keys, which = ply
        start_keys, search_keys, action_keys = keys[:, :2], keys[:, 2], keys[:, 3]  # of [B, 4]
        games = replace_finished(games, start_games(game, hyperparameters, start_keys))
        result = jax.lax.switch(which, branches, variables, search_keys, games.state)
        legal = jax.vmap(game.legal_action_mask)(games.state)
        actions = sample_actions(hyperparameters, action_keys, result, legal, games.age)
        after = jax.vmap(game.step)(games.state, actions)
        row = record(context, Move(games.state, actions, result, after))
        if config.fast_simulations:
            weight = policy_weight(config, hyperparameters, which)
            row = row._replace(policy_weight=jnp.full_like(row.reward, weight))
        games = Games(state=after, age=games.age + 1)
        return games, (row, jnp.where(after.terminated, games.age, 0))

    shape = config.num_moves, config.num_games, 4
    keys = split_over_games(key, shape, context.axis_name)
    ply_key = jax.random.fold_in(key, math.prod(shape))  # none of those of the split
    which = sample_searches(config, hyperparameters, budget_share, ply_key)
    games, (trajectory, lengths) = jax.lax.scan(move, games, (keys, which))
    return games, trajectory, PlayProgress(lengths, mean_simulations(searches, which))


def play_itself(
    context: TrainContext,
    hyperparameters: Hyperparameters,
    state: TrainState,
    key: chex.PRNGKey,
    budget_share: chex.Numeric,
) -> tuple[Games, Trajectory, PlayProgress]:
    """Plays T moves in each of the run's games by the network that plays, in both seats."""
    return play(context, hyperparameters, state.acting, state.games, key, budget_share)


def search_roots(
    model: Model,
    ply_search: PlySearch,
    variables: Variables,
    keys: chex.PRNGKey,
    states: State,
) -> SearchResult:
    """Searches B positions; of its trees the result has the roots alone."""
    return search(model, *ply_search, variables, keys, states, roots_alone=True)


def start_games(game: Game, hyperparameters: Hyperparameters, keys: chex.PRNGKey) -> Games:
    """Returns [B] new games, for keys [B, 2]."""
    states = sample_start_states(game, hyperparameters, keys)
    return Games(state=states, age=jnp.zeros(len(keys), jnp.int32))


def replace_finished(games: Games, new_games: Games) -> Games:
    """Returns the games with a new one in place of each finished one.

    Every array of the state is replaced: a new game that kept `terminated` or rewards of the old
    one would be searched as a finished game.
    """
    return replace_where(games.state.terminated, games, new_games)


def replace_where(is_replaced: chex.Array, old: _Tree, new: _Tree) -> _Tree:
    """Returns the arrays [B, ...] of a pytree, new ones where bool[B] says so."""

    def choose(old: chex.Array, new: chex.Array) -> chex.Array:
        return jnp.where(is_replaced.reshape((-1,) + (1,) * (old.ndim - 1)), new, old)

    return jax.tree.map(choose, old, new)


def sample_actions(
    hyperparameters: Hyperparameters,
    keys: chex.PRNGKey,
    result: SearchResult,
    legal: chex.Array,
    age: chex.Array,
) -> chex.Array:
    """Samples [B] actions: early by the action weights, later the best one, and some at random.

    Args:
      hyperparameters: The temperature, up to which age actions are sampled, and the share of random
        ones.
      keys: [B].
      result: [B, ...].
      legal: bool[B, A].
      age: [B].
    """
    noise = prng.gumbel(keys, legal.shape[1] + 1)
    # The distribution function of Gumbel noise makes the last number uniform from 0 to 1.
    noise, uniform = noise[:, :-1], jnp.exp(-jnp.exp(-noise[:, -1]))
    is_random = uniform < hyperparameters.random_move_fraction
    logits = jnp.log(result.action_weights) / hyperparameters.temperature
    logits = jnp.where(is_random[:, None], jnp.log(legal.astype(jnp.float32)), logits)
    sampled = (logits + noise).argmax(axis=-1).astype(jnp.int32)
    is_sampled = is_random | (age < hyperparameters.temperature_moves)
    return jnp.where(is_sampled, sampled, result.action)


def record(context: TrainContext, move: Move) -> Trajectory:
    """Returns one row [B, ...] of a trajectory, but for the weight of its policy targets."""
    states, after, result = move.state, move.after, move.result
    assert result is not None, "all moves of self-play are searched"
    return Trajectory(
        state=states,
        reward=reward_of_mover(states, after),
        discount=discount_of_mover(states, after),
        extra=context.algorithm.record(context, move),
        trace=relative_weight(result, move.action) if context.config.weighted_traces else None,
        **record_search(context.config, result),
    )


def record_search(config: TrainConfig, result: SearchResult) -> dict[str, Any]:
    """Returns the fields of a trajectory, [B, ...], that a search of B positions gives."""
    return {
        "action_weights": result.action_weights,
        "search_value": result.value,
        "bounds": None if result.bounds is None else pack_bounds(result.bounds),
        "surprise": policy_surprise(result) if config.surprise_sampling else None,
    }


def relative_weight(result: SearchResult, action: chex.Array) -> chex.Array:
    """Returns [B] float32: the weight of each action [B] over that of the likeliest action."""
    weights = result.action_weights
    of_action = jnp.take_along_axis(weights, action[:, None], axis=1)[:, 0]
    return of_action / weights.max(axis=1)


def policy_surprise(result: SearchResult) -> chex.Array:
    """Returns [B] float32: KL(action weights || prior without noise) at the roots, in nats.

    Raises:
      ValueError: The search returns no prior.
    """
    if result.prior_logits is None:
        raise ValueError("surprise_sampling: the search must return `SearchResult.prior_logits`")
    log_prior = jax.nn.log_softmax(result.prior_logits)
    return jnp.maximum(optax.losses.kl_divergence(log_prior, result.action_weights), 0.0)
