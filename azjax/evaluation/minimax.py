"""Players that look a few moves ahead, full width, and know nothing but the rules."""

import dataclasses
import functools
import math

import chex
import jax
import jax.numpy as jnp

from azjax.evaluation.players import Player
from azjax.games import Game, State, sample_from_mask
from azjax.search import discount_of_mover

_WORST = -2.0  # below every value
_DISCOUNT = 0.99  # what a result is worth one move later: wins are sought early, losses late
_MOST_POSITIONS = 2**24  # that a move may take to look at
_BYTES_AT_ONCE = 2**26  # of states that are looked at side by side


def minimax_player(game: Game, depth: int) -> Player:
    """Returns depth-limited minimax: the best move by play `depth` moves deep, lots between equals.

    What is not over by then counts as a draw. With depth 2 the player takes a win, does not let
    the opponent win at once where it can be helped, and else plays at random.

    Raises:
      ValueError: The depth is not positive, or there is too much to look at.
    """
    if depth < 1:
        raise ValueError(f"depth={depth}: must be at least 1")
    most = int(math.log(_MOST_POSITIONS) / math.log(max(2, game.num_actions)))
    if depth > most:
        raise ValueError(
            f"depth={depth}: {game.name} has {game.num_actions} actions, so at most {most}"
        )
    return Player(_Minimax(game, depth))


def tactical_player(game: Game) -> Player:
    """Returns the player that takes a win, blocks a loss, and else plays at random.

    Raises:
      ValueError: The game has too many actions to look two moves ahead.
    """
    return minimax_player(game, depth=2)


def minimax_values(game: Game, states: State, depth: int) -> chex.Array:
    """Returns [B, A] float32: every action's value for the mover, -2 where it is illegal.

    Args:
      game: The rules.
      states: [B]; as many are looked at side by side as there is memory for.
      depth: Moves to look at; the work grows as the number of actions to that power.
    """
    at_once = max(1, _positions_at_once(game) // game.num_actions ** min(depth, 2))
    return jax.lax.map(functools.partial(_minimax_values, game, depth), states, batch_size=at_once)


def _minimax_values(game: Game, depth: int, state: State) -> chex.Array:
    """Returns [A]: what `minimax_values` does, for one state."""

    def value_of(action):
        after = game.step(state, action)
        mover = state.current_player.astype(jnp.int32)
        result = after.rewards[mover].astype(jnp.float32)
        if depth == 1:
            return result
        best_reply = _minimax_values(game, depth - 1, after).max()
        return result + _DISCOUNT * discount_of_mover(state, after) * best_reply

    actions = jnp.arange(game.num_actions)
    # The last moves are looked at side by side, those before them a few at a time or one by one.
    at_once = max(1, _positions_at_once(game) // game.num_actions) if depth == 2 else 1
    values = (
        jax.vmap(value_of)(actions)
        if depth == 1
        else jax.lax.map(value_of, actions, batch_size=min(at_once, game.num_actions))
    )
    return jnp.where(game.legal_action_mask(state), values, _WORST)


def _positions_at_once(game: Game) -> int:
    leaves = jax.tree.leaves(jax.eval_shape(game.init, jax.random.key(0)))
    return _BYTES_AT_ONCE // sum(leaf.size * leaf.dtype.itemsize + 64 for leaf in leaves)


@dataclasses.dataclass(frozen=True)
class _Minimax:
    game: Game
    depth: int

    def __call__(self, parameters, keys, states):
        values = minimax_values(self.game, states, self.depth)
        return jax.vmap(sample_from_mask)(keys, values == values.max(axis=1, keepdims=True))
