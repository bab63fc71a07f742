"""Matches of two players: a batch of games, each opening played twice with seats swapped."""

import dataclasses
import functools
from collections.abc import Callable
from typing import NamedTuple

import chex
import jax
import numpy as np

from azjax.evaluation.choices import choose_actions
from azjax.evaluation.intervals import Interval
from azjax.evaluation.openings import sample_openings
from azjax.evaluation.players import Player
from azjax.evaluation.score_posterior import PAIR_SCORES, ScorePosterior, score_posterior
from azjax.games import Game, State
from azjax.support.plurals import count
from azjax.support.validation import check_even, check_range

_PAIRS_AT_ONCE = 1024


@dataclasses.dataclass(frozen=True)
class MatchSettings:
    """The settings of a match."""

    num_games: int  # even: half of them with player A in seat 0
    opening_moves: int  # random legal moves before the players take over
    seed: int = 0
    num_devices: int = 1  # the games are sharded over them

    def check(self, game: Game) -> None:
        """Raises ValueError if the games are no pairs, or the openings are longer than a game."""
        check_even("games", self.num_games, 2)
        check_range("opening_moves", self.opening_moves, 0, game.max_moves)


class Counts(NamedTuple):
    """Games by their result."""

    wins: int
    draws: int
    losses: int


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class MatchResult:
    """The rewards of player A, by the pair of games of one opening."""

    rewards: np.ndarray  # [P, 2] int8: with A in seat 0, with A in seat 1

    def __repr__(self) -> str:
        """Returns the result in one line."""
        low, high = self.interval
        wins, draws = count(self.wins, "win"), count(self.draws, "draw")
        return (
            f"{wins}, {draws}, {count(self.losses, 'loss')}: "
            f"score {self.score:.1%}, 95% interval {low:.1%} to {high:.1%}"
        )

    @property
    def moving_first(self) -> Counts:
        """The games with A in seat 0."""
        return _count(self.rewards[:, 0])

    @property
    def moving_second(self) -> Counts:
        """The games with A in seat 1."""
        return _count(self.rewards[:, 1])

    @property
    def wins(self) -> int:
        """Games that A won."""
        return _count(self.rewards).wins

    @property
    def draws(self) -> int:
        """Games drawn."""
        return _count(self.rewards).draws

    @property
    def losses(self) -> int:
        """Games that A lost."""
        return _count(self.rewards).losses

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
    def _posterior(self) -> ScorePosterior:
        return score_posterior((self.pair_scores[:, None] == PAIR_SCORES[None, :]).sum(axis=0))


def play_match(
    game: Game, player_a: Player, player_b: Player, settings: MatchSettings
) -> MatchResult:
    """Plays pairs of games from random openings, with player A in seat 0 and then in seat 1.

    Two deterministic players need opening moves: without, all their pairs are the same games.

    Args:
      game: The rules.
      player_a: The player whose result is returned.
      player_b: The opponent.
      settings: The number of games, the openings, the seed and the devices.

    Raises:
      ValueError: A setting is out of range; see `MatchSettings.check`.
    """
    settings.check(game)
    num_pairs = settings.num_games // 2
    opening_key, play_key = jax.random.split(jax.random.key(settings.seed))
    openings = sample_openings(game, num_pairs, settings.opening_moves, opening_key)
    games = jax.tree.map(lambda x: np.stack([x, x], axis=1), openings)
    pair_keys = jax.random.split(play_key, num_pairs)
    num_turns = np.zeros(num_pairs, int)  # played so far in each pair
    step = _compile_step(game)
    while len(unfinished := np.flatnonzero(~games.terminated.all(axis=1))):
        # The batch has one shape for all turns. A pair that fills it up has the same keys, and so
        # the same moves, as its first occurrence.
        pairs = np.resize(unfinished[:_PAIRS_AT_ONCE], min(_PAIRS_AT_ONCE, num_pairs))
        # Both are found first: the moves of player A change whose turn it is.
        games_to_move = [_find_turns(games, pairs, seat) for seat in (0, 1)]
        for seat_in_first, player in enumerate((player_a, player_b)):
            indices = games_to_move[seat_in_first]
            states = _gather(games, pairs, indices)
            keys = _keys_of(pair_keys, pairs, 2 * num_turns[pairs] + seat_in_first)
            after = step(states, choose_actions(player, states, keys, settings.num_devices))
            is_turn = states.current_player == (indices ^ seat_in_first)
            _scatter(games, pairs[is_turn], indices[is_turn], _gather(after, is_turn))
        num_turns[pairs] += 1
    return MatchResult(_rewards_of_first(games))


def _count(rewards: np.ndarray) -> Counts:
    return Counts(*(int((rewards == reward).sum()) for reward in (1, 0, -1)))


def _find_turns(games: State, pairs: np.ndarray, seat_in_first: int) -> np.ndarray:
    """Returns for each pair the game, 0 or 1, in which a player moves next; 1 if in neither.

    The players swap seats between the games of a pair. While they alternate, each player is to
    move in exactly one of the two games, so both players compute at every turn.
    """
    is_turn = games.current_player[pairs, 0] == seat_in_first
    return np.where(is_turn & ~games.terminated[pairs, 0], 0, 1)


@functools.cache
def _compile_step(game: Game) -> Callable[[State, chex.Array], State]:
    return jax.jit(jax.vmap(game.step))


@jax.jit
def _keys_of(pair_keys: chex.PRNGKey, pairs: chex.Array, numbers: chex.Array) -> chex.PRNGKey:
    """Returns the key of each of the given pairs, folded with a number."""
    return jax.vmap(jax.random.fold_in)(pair_keys[pairs], numbers)


def _gather(states: State, *index: np.ndarray) -> State:
    return jax.tree.map(lambda x: np.asarray(x)[index], states)


def _scatter(games: State, pairs: np.ndarray, indices: np.ndarray, states: State) -> None:
    """Writes states in place; `indices` are those of the games in their pairs, 0 or 1."""
    for old, new in zip(jax.tree.leaves(games), jax.tree.leaves(states), strict=True):
        old[pairs, indices] = new


def _rewards_of_first(games: State) -> np.ndarray:
    """Returns [P, 2]: the rewards of the player in seat 0 of the first game of each pair."""
    return np.stack([games.rewards[:, 0, 0], games.rewards[:, 1, 1]], axis=1)
