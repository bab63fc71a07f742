"""Games in which a policy samples its moves, without search, against an opponent."""

from collections.abc import Callable
from typing import NamedTuple

import chex
import jax
import jax.numpy as jnp

from azjax.games import State
from azjax.search import evaluate_with_network, reward_of_mover
from azjax.support import prng
from azjax.training.collectives import split_over_games
from azjax.training.config import Hyperparameters
from azjax.training.context import TrainContext
from azjax.training.replay.actions import recorded
from azjax.training.selfplay.games import PlayProgress, replace_finished, start_games
from azjax.training.state import Games, TrainState, Trajectory


class Opponent(NamedTuple):
    """Who answers the policy."""

    answer: Callable[[chex.PRNGKey, State], chex.Array]  # (keys [B], states [B]) -> actions [B]
    num_simulations: chex.Array  # [] float32, of an answer


def play_against(
    context: TrainContext,
    hyperparameters: Hyperparameters,
    state: TrainState,
    key: chex.PRNGKey,
    opponent: Opponent,
) -> tuple[Games, Trajectory, PlayProgress]:
    """Plays T moves of the newest policy in each of B games; the opponent answers each.

    The policy is to move wherever a game begins, in either seat. A row of the trajectory leads from
    one of its moves to its next: it has the action, and a discount of 1 where the game goes on.
    """
    config, game = context.config, context.game
    evaluate = evaluate_with_network(game, context.network)

    def move(games: Games, keys: chex.PRNGKey) -> tuple[Games, tuple[Trajectory, chex.Array]]:
        start_keys, action_keys, answer_keys = keys[:, :2], keys[:, 2], keys[:, 3]  # of [B, 4]
        games = replace_finished(games, start_games(game, hyperparameters, start_keys))
        logits = evaluate(state.learner.variables, action_keys, games.state).prior_logits
        actions = sample_from_logits(action_keys, logits)
        moved = jax.vmap(game.step)(games.state, actions)
        answers = opponent.answer(answer_keys, moved)
        after = jax.vmap(game.step)(moved, answers)  # a finished game stays as it is
        row = Trajectory(
            state=games.state,
            action_weights=jax.nn.softmax(logits),
            search_value=jnp.zeros(len(actions)),
            reward=reward_of_mover(games.state, after),
            discount=jnp.where(after.terminated, 0.0, 1.0),
            extra=recorded(actions),
        )
        lengths = jnp.where(after.terminated, games.age, 0)
        return Games(after, games.age + 1), (row, lengths)

    shape = config.num_moves, config.num_games, 4
    keys = split_over_games(key, shape, context.axis_name)
    games, (trajectory, lengths) = jax.lax.scan(move, state.games, keys)
    return games, trajectory, PlayProgress(lengths, opponent.num_simulations)


def sample_from_logits(keys: chex.PRNGKey, logits: chex.Array) -> chex.Array:
    """Samples [B] int32 actions from logits [B, A], masked where illegal."""
    noisy = logits + prng.gumbel(keys, logits.shape[-1])
    return noisy.argmax(axis=-1).astype(jnp.int32)
