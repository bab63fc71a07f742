"""Matches: two players, many games side by side, each opening played twice with seats swapped."""

import functools
from typing import Any, NamedTuple

import chex
import jax
import jax.numpy as jnp
import numpy as np

from azjax.evaluation.intervals import Interval, wilson_interval
from azjax.evaluation.players import Player
from azjax.games import Game, play_random_moves


class MatchResult(NamedTuple):
    """Games of a match by their result for player A, and apart by A's seat."""

    wins: tuple[int, int]  # with A in seat 0, in seat 1
    draws: tuple[int, int]
    losses: tuple[int, int]

    @property
    def num_games(self) -> int:
        """Games played."""
        return sum(self.wins) + sum(self.draws) + sum(self.losses)

    @property
    def score(self) -> float:
        """Mean per game: 1 for a win, one half for a draw."""
        return (sum(self.wins) + sum(self.draws) / 2) / self.num_games

    @property
    def interval(self) -> Interval:
        """95% interval of the score."""
        return wilson_interval(self.score, self.num_games)


def play_match(
    game: Game, player_a: Player, player_b: Player, num_games: int, opening_moves: int, seed: int
) -> MatchResult:
    """Plays `num_games` games, half of them with A in seat 0, from random openings in pairs.

    Args:
      game: The rules.
      player_a: The player whose result is reported.
      player_b: The opponent.
      num_games: An even number.
      opening_moves: Random legal moves before the players take over. Two players who both draw no
        lots play the same game again and again if it is 0.
      seed: Of all randomness.

    Raises:
      ValueError: `num_games` is not a positive even number, or `opening_moves` is negative.
    """
    if num_games < 2 or num_games % 2:
        raise ValueError(
            f"games={num_games}: must be even and at least 2, as many from either seat"
        )
    if opening_moves < 0:
        raise ValueError(f"opening_moves={opening_moves}: must be 0 or more")
    opening_key, play_key = jax.random.split(jax.random.key(seed))
    opening_keys = jnp.tile(jax.random.split(opening_key, num_games // 2), 2)
    seats = jnp.arange(num_games) >= num_games // 2  # False: A is player 0
    rewards = np.asarray(
        _play_games(
            game,
            (player_a.act, player_b.act),
            (player_a.parameters, player_b.parameters),
            seats.astype(jnp.int8),
            opening_keys,
            opening_moves,
            play_key,
        )
    )
    by_seat = rewards.reshape(2, -1)

    def count(sign):
        first, second = (np.sign(by_seat) == sign).sum(axis=1).tolist()
        return first, second

    return MatchResult(wins=count(1), draws=count(0), losses=count(-1))


@functools.partial(jax.jit, static_argnums=(0, 1))
def _play_games(game, acts, parameters, seat_of_a, opening_keys, opening_moves, key) -> chex.Array:
    """Returns [B]: the rewards of A. Both players are asked about every position, one is heard."""

    def begin(key) -> Any:
        init_key, moves_key = jax.random.split(key)
        return play_random_moves(game, game.init(init_key), opening_moves, moves_key)

    def move(carry):
        states, key = carry
        key, *move_keys = jax.random.split(key, 3)
        actions_a, actions_b = (
            act(parameters_of, jax.random.split(move_key, len(seat_of_a)), states)
            for act, parameters_of, move_key in zip(acts, parameters, move_keys, strict=True)
        )
        actions = jnp.where(states.current_player == seat_of_a, actions_a, actions_b)
        return jax.vmap(game.step)(states, actions), key

    def is_on(carry):
        return ~carry[0].terminated.all()

    states, _ = jax.lax.while_loop(is_on, move, (jax.vmap(begin)(opening_keys), key))
    seat = seat_of_a.astype(jnp.int32)[:, None]
    return jnp.take_along_axis(states.rewards, seat, axis=1)[:, 0]
