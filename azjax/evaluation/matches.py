"""Matches: two players, many games side by side, each opening played twice with seats swapped."""

import dataclasses
import functools
from collections.abc import Callable
from typing import Any

import chex
import jax
import numpy as np

from azjax.evaluation.choices import choose_actions
from azjax.evaluation.intervals import PAIR_SCORES, Interval, score_posterior
from azjax.evaluation.openings import sample_openings
from azjax.evaluation.players import Player
from azjax.games import Game

_PAIRS_AT_ONCE = 1024


@dataclasses.dataclass(frozen=True, eq=False)
class MatchResult:
    """The rewards of player A, by pair of games from one opening."""

    rewards: np.ndarray  # [P, 2] int8: with A in seat 0, with A in seat 1

    def count(self, reward: int) -> tuple[int, int]:
        """Returns how many games gave A that reward, in seat 0 and in seat 1."""
        first, second = (self.rewards == reward).sum(axis=0).tolist()
        return first, second

    @property
    def wins(self) -> tuple[int, int]:
        """Games that A won, in seat 0 and in seat 1."""
        return self.count(1)

    @property
    def draws(self) -> tuple[int, int]:
        """Games drawn, with A in seat 0 and in seat 1."""
        return self.count(0)

    @property
    def losses(self) -> tuple[int, int]:
        """Games that A lost, in seat 0 and in seat 1."""
        return self.count(-1)

    @property
    def num_games(self) -> int:
        """Games played."""
        return self.rewards.size

    @property
    def pair_scores(self) -> np.ndarray:
        """[P] A's mean score per game: 1 for a win, one half for a draw."""
        return (1 + self.rewards.mean(axis=1)) / 2

    @property
    def score(self) -> float:
        """The mean over all games."""
        return float(self.pair_scores.mean())

    @property
    def interval(self) -> Interval:
        """95% interval of the expected score."""
        return self._posterior.interval

    @property
    def probability_stronger(self) -> float:
        """Probability that the expected score is above one half."""
        return self._posterior.probability_stronger

    @functools.cached_property
    def _posterior(self):
        return score_posterior((self.pair_scores[:, None] == PAIR_SCORES[None, :]).sum(axis=0))


def play_match(
    game: Game,
    player_a: Player,
    player_b: Player,
    num_games: int,
    opening_moves: int,
    seed: int,
    num_devices: int = 1,
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
      num_devices: Devices over which the games are laid.

    Raises:
      ValueError: A number is out of range; see `check_match`.
    """
    check_match(game, num_games, opening_moves)
    opening_key, play_key = jax.random.split(jax.random.key(seed))
    openings = sample_openings(game, num_games // 2, opening_moves, opening_key)
    games = jax.tree.map(lambda x: np.stack([x, x], axis=1), openings)
    pair_keys = jax.random.split(play_key, num_games // 2)
    num_turns = np.zeros(num_games // 2, int)  # that each pair has had
    step = _compile_step(game)
    while len(unfinished := np.flatnonzero(~games.terminated.all(axis=1))):
        # One shape for all turns; a pair that is there twice is answered twice alike.
        pairs = np.resize(unfinished[:_PAIRS_AT_ONCE], min(_PAIRS_AT_ONCE, num_games // 2))
        questions = [_find_turns(games, pairs, seat) for seat in (0, 1)]
        for player, twins, number in zip((player_a, player_b), questions, (0, 1), strict=True):
            asked = _gather(games, pairs, twins)
            keys = _keys_of(pair_keys, pairs, 2 * num_turns[pairs] + number)
            after = step(asked, choose_actions(player, asked, keys, num_devices))
            is_turn = asked.current_player == (twins ^ number)
            _scatter(games, pairs[is_turn], twins[is_turn], _gather(after, is_turn))
        num_turns[pairs] += 1
    return MatchResult(_rewards_of_first(games))


def check_match(game: Game, num_games: int, opening_moves: int) -> None:
    """Raises ValueError where the games are no pairs, or the openings are longer than a game."""
    if num_games < 2 or num_games % 2:
        raise ValueError(
            f"games={num_games}: must be even and at least 2, as many from either seat"
        )
    if not 0 <= opening_moves <= game.max_moves:
        raise ValueError(f"opening_moves={opening_moves}: must be from 0 to {game.max_moves}")


def _find_turns(games: Any, pairs: np.ndarray, seat_in_first: int) -> np.ndarray:
    """Returns for each pair the game, 0 or 1, in which a player moves next; 1 if in neither.

    The players swap seats between the games of a pair: as long as they take turns, each moves in
    one of them at a time, and both have something to think about.
    """
    is_turn = games.current_player[pairs, 0] == seat_in_first
    return np.where(is_turn & ~games.terminated[pairs, 0], 0, 1)


@functools.cache
def _compile_step(game: Game) -> Callable[[Any, chex.Array], Any]:
    return jax.jit(jax.vmap(game.step))


@jax.jit
def _keys_of(pair_keys: chex.PRNGKey, pairs: chex.Array, numbers: chex.Array) -> chex.PRNGKey:
    """Returns a key for each of some pairs, drawn from its own by a number."""
    return jax.vmap(jax.random.fold_in)(pair_keys[pairs], numbers)


def _gather(states: Any, *index: np.ndarray) -> Any:
    return jax.tree.map(lambda x: np.asarray(x)[index], states)


def _scatter(games: Any, pairs: np.ndarray, twins: np.ndarray, states: Any) -> None:
    """Puts states in place of those games'."""
    for old, new in zip(jax.tree.leaves(games), jax.tree.leaves(states), strict=True):
        old[pairs, twins] = new


def _rewards_of_first(games: Any) -> np.ndarray:
    """Returns [P, 2] what the player got who was in seat 0 of the first game of each pair."""
    return np.stack([games.rewards[:, 0, 0], games.rewards[:, 1, 1]], axis=1)
