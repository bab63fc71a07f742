"""Players that look a few moves ahead, full width, and know nothing but the rules."""

import dataclasses

import chex
import jax
import jax.numpy as jnp

from azjax.evaluation.players import Player, draw_from
from azjax.games import Game, State

_WORST = -2.0  # below every value
_PATIENCE = 0.99  # what a result is worth one move later: wins are sought early, losses late


def lookahead_player(game: Game, depth: int) -> Player:
    """Returns depth-limited minimax: the best move by play `depth` moves deep, lots between equals.

    What is not over by then counts as a draw. With depth 2 the player takes a win, does not let
    the opponent win at once where it can be helped, and else plays at random.

    Raises:
      ValueError: The depth is not positive.
    """
    if depth < 1:
        raise ValueError(f"depth={depth}: must be at least 1")
    return Player(_LookAhead(game, depth))


def tactical_player(game: Game) -> Player:
    """Returns the player that takes a win, blocks a loss, and else plays at random."""
    return lookahead_player(game, depth=2)


def look_ahead(game: Game, state: State, depth: int) -> chex.Array:
    """Returns [A] float32: the value of every action for the mover, -2 where it is illegal.

    Args:
      game: The rules.
      state: An unbatched state.
      depth: Moves to look at; the work grows as the number of actions to that power.
    """

    def value_of(action):
        after = game.step(state, action)
        mover = state.current_player.astype(jnp.int32)
        result = after.rewards[mover].astype(jnp.float32)
        if depth == 1:
            return result
        best_reply = look_ahead(game, after, depth - 1).max()
        sign = jnp.where(after.current_player == state.current_player, 1.0, -1.0)
        return jnp.where(after.terminated, result, sign * _PATIENCE * best_reply)

    actions = jnp.arange(game.num_actions)
    # The last two levels are computed side by side, those above one action after another: memory
    # grows as the square of the number of actions, not as its power.
    values = jax.vmap(value_of)(actions) if depth <= 2 else jax.lax.map(value_of, actions)
    return jnp.where(game.legal_action_mask(state), values, _WORST)


@dataclasses.dataclass(frozen=True)
class _LookAhead:
    game: Game
    depth: int

    def __call__(self, parameters, keys, states):
        def choose(key, state):
            values = look_ahead(self.game, state, self.depth)
            return draw_from(key, values == values.max())

        return jax.lax.map(
            lambda lane: choose(*lane), (keys, states), batch_size=max(1, 2**16 // self._leaves)
        )

    @property
    def _leaves(self) -> int:
        """Positions that one lane computes side by side."""
        return self.game.num_actions ** min(self.depth, 2)
