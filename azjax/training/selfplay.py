"""Self-play: every game makes T moves by search; a finished game is replaced by a new one."""

import functools
from collections.abc import Callable
from typing import Any, TypeVar

import chex
import jax
import jax.numpy as jnp

from azjax.games import State
from azjax.networks import Variables
from azjax.search import (
    Search,
    SearchResult,
    discount_of_mover,
    network_model,
    pack_bounds,
    reward_of_mover,
    search,
)
from azjax.support import prng
from azjax.support.errors import InputError
from azjax.training.collectives import split_over_games
from azjax.training.hooks import Ply, TrainContext, part_key
from azjax.training.state import Games, Move, PlayProgress, Searched, TrainState, Trajectory

_Tree = TypeVar("_Tree")

# (key of the ply, keys [B], states [B], what the search of the ply before kept) -> the search
Find = Callable[[chex.PRNGKey, chex.PRNGKey, State, Any], Searched]


def init_games(context: TrainContext) -> Games:
    """Returns [B] finished games: the first move replaces each by a new one."""
    num_games = context.config.num_games
    state = context.game.init(jax.random.key(0))
    state = state._replace(terminated=jnp.ones_like(state.terminated))
    return Games(
        state=jax.tree.map(lambda x: jnp.broadcast_to(x, (num_games, *x.shape)), state),
        age=jnp.zeros(num_games, jnp.int32),
    )


def play_itself(
    context: TrainContext,
    state: TrainState,
    variables: Variables,
    key: chex.PRNGKey,
    progress: chex.Numeric,
    *,
    temperature: chex.Numeric,
    temperature_moves: chex.Numeric,
    find: Find | None = None,
) -> tuple[Games, Trajectory, PlayProgress]:
    """Plays T moves in each of B games, both seats by searches with the same network.

    Moves up to the age `temperature_moves` of a game are sampled at the temperature. Otherwise the
    arguments and the result are as in `Algorithm.play`. `find` replaces the search, if given.
    """
    config, game = context.config, context.game
    find = find or functools.partial(search_ply, context, variables, progress)

    def move(
        carry: tuple[Games, Any], ply: tuple[chex.PRNGKey, chex.PRNGKey]
    ) -> tuple[tuple[Games, Any], tuple[Trajectory, chex.Array, chex.Array]]:
        (games, kept), (keys, ply_key) = carry, ply
        init_keys, start_keys, search_keys, action_keys = jnp.unstack(keys, axis=1)
        games = replace_finished(games, start_games(context, state, init_keys, start_keys))
        found = find(ply_key, search_keys, games.state, kept)
        legal = jax.vmap(game.legal_action_mask)(games.state)
        sample = functools.partial(
            sample_actions, action_keys, found.result, games.age, temperature, temperature_moves
        )
        for part in context.parts("act"):
            sample = functools.partial(
                part.act, context, part_key(action_keys, part), legal, sample
            )
        actions = sample()
        after = jax.vmap(game.step)(games.state, actions)
        row = make_row(context, Move(games.state, actions, after, found))
        games = Games(state=after, age=games.age + 1)
        lengths = jnp.where(after.terminated, games.age, 0)
        return (games, found.result.kept), (row, lengths, jnp.float32(found.num_simulations))

    shape = config.num_moves, config.num_games, 4
    keys = split_over_games(key, shape, context.axis_name)
    ply_keys = jax.random.split(prng.named_key(key, "plies"), config.num_moves)
    model = network_model(game, context.network)
    start = state.games, config.search.init_kept(model, variables, state.games.state)
    (games, _), played = jax.lax.scan(move, start, (keys, ply_keys))
    trajectory, lengths, counts = played
    return games, trajectory, PlayProgress(lengths, counts.mean())


def search_ply(
    context: TrainContext,
    variables: Variables,
    progress: chex.Numeric,
    ply_key: chex.PRNGKey,
    keys: chex.PRNGKey,
    states: State,
    kept: Any = None,
) -> Searched:
    """Searches B positions, none finished, by a key [B] for each; trees have their roots alone.

    `ply_key` is the same on every device. `kept` is what the searches of the ply before kept.
    """
    model = network_model(context.game, context.network)

    def run(config: Search) -> Searched:
        result = search(model, config, variables, keys, states, roots_alone=True, kept=kept)
        return Searched(result, jnp.float32(config.simulations_made), jnp.float32(1))

    inner = run
    for part in context.parts("search"):
        ply = Ply(progress, part_key(ply_key, part), run)
        inner = functools.partial(part.search, context, ply, inner)
    return inner(context.config.search)


def start_games(
    context: TrainContext, state: TrainState, init_keys: chex.PRNGKey, start_keys: chex.PRNGKey
) -> Games:
    """Returns [B] new games, for keys [B]: by the rules, then by the parts."""

    def start() -> State:
        return jax.vmap(context.game.init)(init_keys)

    for part in context.parts("start"):
        own = state.parts.get(part.name), part_key(start_keys, part)
        start = functools.partial(part.start, context, *own, start)
    return Games(state=start(), age=jnp.zeros(len(init_keys), jnp.int32))


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
    keys: chex.PRNGKey,
    result: SearchResult,
    age: chex.Array,
    temperature: chex.Numeric,
    temperature_moves: chex.Numeric,
) -> chex.Array:
    """Samples [B] actions: early moves by the action weights, later ones are the search's best.

    A move is early up to the age [B] `temperature_moves` of its game; then it is sampled from the
    weights to the power of 1 / temperature.
    """
    chex.assert_equal_shape_prefix([result.action_weights, age], 1)
    logits = jnp.log(result.action_weights) / temperature
    noise = prng.gumbel(keys, logits.shape[1])
    sampled = (logits + noise).argmax(axis=-1).astype(jnp.int32)
    return jnp.where(age < temperature_moves, sampled, result.action)


def make_row(context: TrainContext, move: Move) -> Trajectory:
    """Returns one row [B, ...] of a trajectory, of a move that was searched."""
    searched = record_search(context, move.searched.result)
    records = _merge_records(context, "record_move", searched.pop("records"), move)
    return Trajectory(
        state=move.state,
        action=move.action.astype(jnp.int16),
        reward=reward_of_mover(move.state, move.after),
        discount=discount_of_mover(move.state, move.after),
        records=records,
        **searched,
    )


def record_search(context: TrainContext, result: SearchResult) -> dict[str, Any]:
    """Returns the fields of a trajectory, [B, ...], that a search of B positions gives."""
    own = {} if result.bounds is None else {"bounds": pack_bounds(result.bounds)}
    return {
        "action_weights": result.action_weights,
        "search_value": result.value,
        "records": _merge_records(context, "record_search", own, result),
    }


def _merge_records(
    context: TrainContext, hook: str, others: dict[str, Any], *arguments: Any
) -> dict[str, Any]:
    """Returns other records and those by all parts that fill a hook; refuses a name given twice."""
    merged = dict(others)
    for part in context.parts(hook):
        records = getattr(part, hook)(context, *arguments)
        for name in merged.keys() & records.keys():
            raise InputError(f"part {part.name}: {name!r} is recorded already")
        merged |= records
    return merged
