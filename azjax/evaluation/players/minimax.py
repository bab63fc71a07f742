"""Depth-limited minimax: full-width search without an evaluation function."""

import dataclasses
import functools
import math

import chex
import jax
import jax.numpy as jnp

from azjax.evaluation.players.player import Player
from azjax.games import Game, State, sample_from_mask
from azjax.search import discount_of_mover
from azjax.support.validation import check_at_least

_WORST = -2.0  # below every value
_DISCOUNT = 0.99  # per move: early wins and late losses are preferred
_MOST_POSITIONS = 2**24  # searched for one move
_BYTES_AT_ONCE = 2**26  # of states that are searched in parallel


def minimax_player(game: Game, depth: int) -> Player:
    """Returns the player of a best move by depth-limited minimax; ties are broken at random.

    A game that has not ended within `depth` moves counts as a draw. With depth 2 the player takes
    an immediate win, prevents the opponent's immediate win if it can, and else plays at random.

    Raises:
      ValueError: The depth is not positive, or the search would have too many positions.
    """
    check_at_least("depth", depth, 1)
    most = int(math.log(_MOST_POSITIONS) / math.log(max(2, game.num_actions)))
    if depth > most:
        raise ValueError(
            f"depth={depth}: {game.name} has {game.num_actions} actions, so at most {most}"
        )
    return Player(_Minimax(game, depth))


def minimax_values(game: Game, states: State, depth: int) -> chex.Array:
    """Returns [B, A] float32: every action's value from the mover's view, -2 if it is illegal.

    The states [B, ...] are searched in batches of bounded memory. The work is the number of actions
    to the power of the depth.
    """
    at_once = max(1, _positions_at_once(game) // game.num_actions ** min(depth, 2))
    return jax.lax.map(functools.partial(_minimax_values, game, depth), states, batch_size=at_once)


def _minimax_values(game: Game, depth: int, state: State) -> chex.Array:
    """Returns [A]: the values of `minimax_values` for one state."""

    def value_of(action):
        after = game.step(state, action)
        mover = state.current_player.astype(jnp.int32)
        result = after.rewards[mover].astype(jnp.float32)
        if depth == 1:
            return result
        best_reply = _minimax_values(game, depth - 1, after).max()
        return result + _DISCOUNT * discount_of_mover(state, after) * best_reply

    actions = jnp.arange(game.num_actions)
    # The last moves are searched in parallel, those before them in small batches or one by one.
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

    def __call__(self, parameters: tuple[()], keys: chex.PRNGKey, states: State) -> chex.Array:
        values = minimax_values(self.game, states, self.depth)
        return jax.vmap(sample_from_mask)(keys, values == values.max(axis=1, keepdims=True))
