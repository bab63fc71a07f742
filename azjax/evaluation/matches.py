"""Matches of two players from random openings, each played twice with seats swapped."""

import contextlib
import dataclasses
import functools
from collections.abc import Callable
from typing import NamedTuple

import chex
import jax
import jax.numpy as jnp
import numpy as np

from azjax.evaluation.match_result import GameActions, MatchResult
from azjax.evaluation.players.host_players import FORFEITS, HostPlayer, Turns, open_match
from azjax.evaluation.players.minimax import minimax_values
from azjax.evaluation.players.player import Player
from azjax.games import Game, State, record_random_moves
from azjax.support.program_cache import cache_programs
from azjax.support.validation import check_even, check_range

# Takes the number of a game in its match, its actions, and the reward of player 0.
OnGame = Callable[[int, GameActions, int], None]

_PAIRS_AT_ONCE = 1024
_ROUNDS = 8  # of sampling, before an unbalanced opening is accepted
_MOST_ACTIONS = 400  # with more, a search of two moves takes too long, so openings are not checked


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


class Openings(NamedTuple):
    """P starting positions, and the at most M moves that lead to each."""

    states: State  # [P, ...], unfinished
    actions: np.ndarray  # [P, M] int32; -1 where there is no move

    def moves(self, index: int) -> list[int]:
        """Returns the actions of one opening."""
        actions = self.actions[index]
        return actions[actions >= 0].tolist()


def play_match(
    game: Game,
    player_a: Player | HostPlayer,
    player_b: Player | HostPlayer,
    settings: MatchSettings,
    on_game: OnGame | None = None,
) -> MatchResult:
    """Plays pairs of games from random openings, with player A in seat 0 and then in seat 1.

    Two deterministic players need opening moves: without, all their pairs are the same games.

    Args:
      game: The rules.
      player_a: The player whose result is returned.
      player_b: The opponent.
      settings: The number of games, the openings, the seed and the devices.
      on_game: Called after each game.

    Raises:
      ValueError: A setting is out of range; see `MatchSettings.check`.
      RunError: A player outside JAX, such as an engine, has stopped the match by an error.
    """
    settings.check(game)
    opening_key, play_key = jax.random.split(jax.random.key(settings.seed))
    openings = sample_openings(game, settings.num_games // 2, settings.opening_moves, opening_key)
    return play_openings(
        game, player_a, player_b, openings, play_key, settings.num_devices, on_game
    )


def play_openings(
    game: Game,
    player_a: Player | HostPlayer,
    player_b: Player | HostPlayer,
    openings: Openings,
    key: chex.PRNGKey,
    num_devices: int = 1,
    on_game: OnGame | None = None,
    seats: tuple[int, ...] = (0, 1),
) -> MatchResult:
    """Plays the pairs of games of `play_match` from given openings, P of them.

    Only the games with player A in one of `seats` are played; the reward of others is 0.

    Raises:
      RunError: A player outside JAX, such as an engine, has stopped the match by an error.
    """
    games = _Games(game, openings, key, seats)
    own_limits = (p.games_at_once for p in (player_a, player_b) if not isinstance(p, Player))
    at_once = min(games.num_pairs, _PAIRS_AT_ONCE, *(n // len(seats) for n in own_limits))
    with contextlib.ExitStack() as stack:
        opened = (open_match(player, num_devices) for player in (player_a, player_b))
        players = [stack.enter_context(match) for match in opened]
        while len(unfinished := games.unfinished_pairs()):
            # The batch has one shape for all turns: pairs that occur twice fill it up.
            pairs = np.resize(unfinished[:at_once], at_once)
            is_filler = np.arange(at_once) >= len(unfinished)
            # Both are found first: the moves of player A change whose turn it is.
            to_move = [games.find_turns(pairs, seat) for seat in (0, 1)]
            for seat_in_first, player in enumerate(players):
                turns = games.make_turns(to_move[seat_in_first], seat_in_first, is_filler)
                if turns.is_turn.any():
                    games.play(turns, player.choose(turns))
            games.num_turns[pairs] += 1
            ended = games.take_ended()
            for player in players:
                player.end(ended)
            if on_game is not None:
                for number in ended:
                    on_game(*games.record(number))
    return games.result()


def sample_openings(game: Game, num_openings: int, num_moves: int, key: chex.PRNGKey) -> Openings:
    """Returns the unfinished states after that many random legal moves.

    They are balanced as far as minimax of depth 2 can tell: the mover has no immediate win, and the
    opponent no immediate win that the mover cannot prevent. An unbalanced opening is sampled again,
    up to 8 times. A move that would end the game is left out, so its opening is shorter.
    """
    first_key, *round_keys = jax.random.split(key, 1 + _ROUNDS)
    openings = _sample(game, jax.random.split(first_key, num_openings), num_moves)
    if num_moves == 0 or game.num_actions > _MOST_ACTIONS:
        return jax.device_get(openings)
    for round_key in round_keys:
        balanced = _are_balanced(game, openings.states)
        if balanced.all():
            break
        resampled = _sample(game, jax.random.split(round_key, num_openings), num_moves)
        openings = jax.tree.map(functools.partial(_choose, balanced), openings, resampled)
    return jax.device_get(openings)


class _Games:
    """The games of a match in progress; the games of pair p have the numbers 2 p and 2 p + 1.

    Player A is in seat 0 of the first game of a pair, and in seat 1 of the second. Of a pair those
    with player A in one of `seats` are played; others count as over.
    """

    def __init__(
        self, game: Game, openings: Openings, key: chex.PRNGKey, seats: tuple[int, ...]
    ) -> None:
        self.num_pairs = len(openings.actions)
        self._is_awaited = np.tile(np.isin([0, 1], seats), self.num_pairs)
        self._states = jax.tree.map(lambda x: np.repeat(x, 2, axis=0), openings.states)
        self._states.terminated[~self._is_awaited] = True
        self._actions = [openings.moves(number // 2) for number in range(2 * self.num_pairs)]
        self._pair_keys = jax.random.split(key, self.num_pairs)
        self._step = _compile_step(game)
        self.num_turns = np.zeros(self.num_pairs, int)  # played so far in each pair

    def unfinished_pairs(self) -> np.ndarray:
        return np.flatnonzero(~self._states.terminated.reshape(-1, 2).all(axis=1))

    def take_ended(self) -> np.ndarray:
        """Returns the numbers of the played games that are over, each once."""
        ended = np.flatnonzero(self._states.terminated & self._is_awaited)
        self._is_awaited[ended] = False
        return ended

    def record(self, number: int) -> tuple[int, GameActions, int]:
        """Returns what `OnGame` takes of a game that is over."""
        return int(number), self._actions[number], int(self._states.rewards[number, 0])

    def find_turns(self, pairs: np.ndarray, seat_in_first: int) -> np.ndarray:
        """Returns for each pair the game in which a player moves next; the second if in neither.

        The players swap seats between the games of a pair. While both are played and the players
        alternate, each is to move in exactly one of the two, so both players compute at every turn.
        """
        first = 2 * pairs
        is_turn = self._states.current_player[first] == seat_in_first
        return np.where(is_turn & ~self._states.terminated[first], first, first + 1)

    def make_turns(self, games: np.ndarray, seat_in_first: int, is_filler: np.ndarray) -> Turns:
        """Returns the turns of a player in the games of these numbers; there is none in fillers."""
        pairs, index_in_pair = np.divmod(games, 2)
        states = _gather(self._states, games)
        is_mover = states.current_player == (index_in_pair ^ seat_in_first)
        numbers = 2 * self.num_turns[pairs] + seat_in_first
        return Turns(
            states=states,
            keys=_keys_of(self._pair_keys, pairs, numbers),
            is_turn=is_mover & ~states.terminated & ~is_filler,
            games=games,
            actions=[self._actions[game] for game in games],
        )

    def play(self, turns: Turns, actions: np.ndarray) -> None:
        """Plays the actions [P] where it is the player's turn."""
        after = _gather(self._step(turns.states, actions), turns.is_turn)
        played = turns.games[turns.is_turn]
        for old, new in zip(jax.tree.leaves(self._states), jax.tree.leaves(after), strict=True):
            old[played] = new
        for game, action in zip(played, actions[turns.is_turn], strict=True):
            self._actions[game].append(int(action))

    def result(self) -> MatchResult:
        """Returns the result of the player in seat 0 of the first game of each pair."""
        rewards = np.stack([self._states.rewards[::2, 0], self._states.rewards[1::2, 1]], axis=1)
        pairs = zip(self._actions[::2], self._actions[1::2], strict=True)
        has_error = np.reshape([game[-1:] == [FORFEITS] for game in self._actions], (-1, 2))
        by_a, by_b = (int((has_error & (rewards == lost)).sum()) for lost in (-1, 1))
        return MatchResult(rewards, list(pairs), forfeits=(by_a, by_b))


@cache_programs
def _compile_step(game: Game) -> Callable[[State, chex.Array], State]:
    return jax.jit(jax.vmap(game.step))


@jax.jit
def _keys_of(pair_keys: chex.PRNGKey, pairs: chex.Array, numbers: chex.Array) -> chex.PRNGKey:
    """Returns the key of each of the given pairs, folded with a number."""
    return jax.vmap(jax.random.fold_in)(pair_keys[pairs], numbers)


def _gather(states: State, index: np.ndarray) -> State:
    return jax.tree.map(lambda x: np.asarray(x)[index], states)


@functools.partial(jax.jit, static_argnums=0)
def _sample(game: Game, keys: chex.PRNGKey, num_moves: chex.Numeric) -> Openings:
    def sample(key):
        start_key, play_key = jax.random.split(key)
        uniforms = jax.random.uniform(play_key, (game.max_moves,))
        return record_random_moves(game, game.init(start_key), num_moves, uniforms)

    return Openings(*jax.vmap(sample)(keys))


@functools.partial(jax.jit, static_argnums=0)
def _are_balanced(game: Game, states: State) -> chex.Array:
    """Returns [B]: whether minimax of depth 2 finds neither a win nor a loss for the mover."""
    return jnp.abs(minimax_values(game, states, depth=2).max(axis=1)) < 0.5


def _choose(kept: chex.Array, old: chex.Array, new: chex.Array) -> np.ndarray:
    kept = np.asarray(kept).reshape(-1, *[1] * (old.ndim - 1))
    return np.where(kept, np.asarray(old), np.asarray(new))
