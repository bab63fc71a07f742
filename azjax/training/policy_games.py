"""Games in which a policy samples its moves, without search, against an opponent."""

from collections.abc import Callable

import chex
import jax
import jax.numpy as jnp

from azjax.games import Game, State
from azjax.search import evaluate_with_network, reward_of_mover
from azjax.support import prng
from azjax.training.collectives import split_over_games
from azjax.training.hooks import TrainContext
from azjax.training.selfplay import replace_finished, replace_where, start_games
from azjax.training.state import Games, PlayProgress, TrainState, Trajectory

Reply = Callable[[chex.PRNGKey, State], chex.Array]  # (keys [B], states [B]) -> actions [B]


def play_against(
    context: TrainContext,
    state: TrainState,
    key: chex.PRNGKey,
    reply: Reply,
    num_simulations: chex.Numeric,
) -> tuple[Games, Trajectory, PlayProgress]:
    """Plays T moves of the newest policy in each of B games; the opponent replies to each.

    The simulations are of one reply.

    The policy is to move wherever a game begins: in the second seat after an odd number of random
    moves, so without random starts in the first seat alone. A row of the trajectory leads from one
    of its moves to its next: it has the action, and a discount of 1 where the game goes on.
    """
    config, game = context.config, context.game
    evaluate = evaluate_with_network(game, context.network)

    def move(games: Games, keys: chex.PRNGKey) -> tuple[Games, tuple[Trajectory, chex.Array]]:
        init_keys, start_keys, action_keys, reply_keys = jnp.unstack(keys, axis=1)
        games = replace_finished(games, start_games(context, state, init_keys, start_keys))
        logits = evaluate(state.learner.variables, action_keys, games.state).prior_logits
        actions = sample_from_logits(action_keys, logits)
        moved = jax.vmap(game.step)(games.state, actions)
        after = play_replies(game, reply, reply_keys, games.state.current_player, moved)
        row = Trajectory(
            state=games.state,
            action=actions.astype(jnp.int16),
            action_weights=jax.nn.softmax(logits),
            search_value=jnp.zeros(len(actions)),
            reward=reward_of_mover(games.state, after),
            discount=jnp.where(after.terminated, 0.0, 1.0),
            records={},
        )
        age = games.age + 1
        return Games(after, age), (row, jnp.where(after.terminated, age, 0))

    shape = config.num_moves, config.num_games, 4
    keys = split_over_games(key, shape, context.axis_name)
    games, (trajectory, lengths) = jax.lax.scan(move, state.games, keys)
    return games, trajectory, PlayProgress(lengths, jnp.float32(num_simulations))


def play_replies(
    game: Game, reply: Reply, keys: chex.PRNGKey, seats: chex.Array, states: State
) -> State:
    """Returns the positions [B] once the seats [B] of the policy are to move, or games have ended.

    Where players take turns, that is after one reply; after none where a player moves again.
    """

    def is_waiting(states: State) -> chex.Array:
        return ~states.terminated & (states.current_player != seats)

    def reply_once(carry: tuple[chex.Array, State]) -> tuple[chex.Array, State]:
        number, states = carry
        reply_keys = jax.vmap(jax.random.fold_in, (0, None))(keys, number)
        actions = reply(reply_keys, states)
        after = jax.vmap(game.step)(states, actions)
        return number + 1, replace_where(is_waiting(states), states, after)

    def is_any_waiting(carry: tuple[chex.Array, State]) -> chex.Array:
        return is_waiting(carry[1]).any()

    return jax.lax.while_loop(is_any_waiting, reply_once, (jnp.int32(0), states))[1]


def sample_from_logits(keys: chex.PRNGKey, logits: chex.Array) -> chex.Array:
    """Samples [B] int32 actions from logits [B, A], masked where illegal."""
    noisy = logits + prng.gumbel(keys, logits.shape[-1])
    return noisy.argmax(axis=-1).astype(jnp.int32)
