"""Players that are asked turn by turn, by `open_match`: engines, a timed search, and others."""

import collections
import contextlib
import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, Protocol

import chex
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import NamedSharding, PartitionSpec

from azjax.evaluation.players.player import (
    Player,
    SearchAct,
    SearchParameters,
    choose_actions,
    padded_indices,
    prepare_inputs,
)
from azjax.games import State, batch_of_one
from azjax.search import SearchResult, TimedSearch
from azjax.support.component import structure
from azjax.support.machine.devices import AXIS, make_mesh, shard_over_devices
from azjax.support.program_cache import cache_programs

# No game has these actions, so by the laws of games the player of one loses at once.
RESIGNS, FORFEITS = -1, -2


class Turns(NamedTuple):
    """P games, in some of which a player is to move."""

    states: State  # [P, ...]
    keys: chex.PRNGKey  # [P]
    is_turn: np.ndarray  # [P] bool; the actions of other games are not used
    games: np.ndarray  # [P] int, the numbers of the games in the match
    actions: Sequence[Sequence[int]]  # [P], the actions of each game from its start


class MatchPlayer(Protocol):
    """A player in one match."""

    def choose(self, turns: Turns) -> np.ndarray:
        """Returns [P] int, the actions; RESIGNS and FORFEITS are losses."""

    def end(self, games: Iterable[int]) -> None:
        """Lets go of games that are over, by their numbers."""


class HostPlayer(Protocol):
    """A player outside JAX, which follows each game from its first move."""

    @property
    def games_at_once(self) -> int:
        """The most games in play at the same time, even."""

    def open_match(self) -> contextlib.AbstractContextManager[MatchPlayer]:
        """Opens what a match needs, such as processes; it is closed however the match ends."""


def open_match(
    player: Player | HostPlayer, num_devices: int = 1
) -> contextlib.AbstractContextManager[MatchPlayer]:
    """Returns the player, ready to play; the positions of a `Player` are sharded over devices."""
    if isinstance(player, Player):
        return contextlib.nullcontext(in_match(player, num_devices))
    return player.open_match()


def in_match(player: Player, num_devices: int = 1) -> MatchPlayer:
    """Returns a player at the start of a match, which needs nothing that must be closed."""
    if isinstance(player.act, SearchAct) and player.parameters.search.keeps_trees:
        return _KeepingPlayer(player, num_devices)
    return _BatchedPlayer(player, num_devices)


def choose_action(
    player: MatchPlayer, state: State, key: chex.PRNGKey, actions: Sequence[int]
) -> int:
    """Returns the player's move in the only game of a match.

    It is to move in the state, to which the actions lead from the start of the game.
    """
    turns = Turns(batch_of_one(state), key[None], np.array([True]), np.array([0]), [actions])
    return int(player.choose(turns)[0])


class _BatchedPlayer(NamedTuple):
    player: Player
    num_devices: int

    def choose(self, turns: Turns) -> np.ndarray:
        return choose_actions(self.player, turns.states, turns.keys, self.num_devices)

    def end(self, games: Iterable[int]) -> None:
        del games


class _KeepingPlayer:
    """A player with search, which goes on with the trees of its last move in each game.

    Its turns alternate between the games of a pair, so those of the last two turns are at hand.
    """

    def __init__(self, player: Player, num_devices: int):
        self._player, self._num_devices = player, num_devices
        self._turns: collections.deque[tuple[np.ndarray, Any]] = collections.deque(maxlen=2)

    def choose(self, turns: Turns) -> np.ndarray:
        parameters, keys, states = prepare_inputs(
            self._player, turns.states, turns.keys, self._num_devices
        )
        indices = padded_indices(len(turns.games), self._num_devices)
        games = turns.games[indices]
        init, take, search = _keeping_programs(self._player.act, self._num_devices)
        if not self._turns:
            self._turns.extend([(np.full(len(games), -1), init(parameters, states))] * 2)
        known = np.concatenate([games for games, _ in self._turns])
        last = np.array([max(np.flatnonzero(known == game), default=-1) for game in games])
        kept = take([trees for _, trees in self._turns], last)
        actions, kept = search(parameters, keys, states, kept)
        # Where it was not its turn, the search was for nothing, and gives no more simulations.
        self._turns.append((np.where(turns.is_turn[indices], games, -1), kept))
        return np.asarray(actions)[: len(turns.games)]

    def end(self, games: Iterable[int]) -> None:
        del games


@functools.partial(cache_programs, most=32)
def _keeping_programs(act: Any, num_devices: int) -> tuple[Callable[..., Any], ...]:
    """Returns the programs that make empty trees, take some of two turns', and search.

    Trees are [P, N, ...]; an index of -1 takes an empty one.
    """
    mesh = make_mesh(num_devices)

    def swap(trees: Any) -> Any:
        return jax.tree.map(lambda x: x.swapaxes(0, 1), trees)

    def init(parameters: SearchParameters, states: State) -> Any:
        return swap(act.init_kept(parameters, states))

    def search(
        parameters: SearchParameters, keys: chex.PRNGKey, states: State, kept: Any
    ) -> tuple[chex.Array, Any]:
        result = act.search(parameters, keys, states, swap(kept))
        return result.action, swap(result.kept)

    @functools.partial(jax.jit, out_shardings=NamedSharding(mesh, PartitionSpec(AXIS)))
    def take(trees: list[Any], indices: chex.Array) -> Any:
        taken = jax.tree.map(lambda *x: jnp.concatenate(x)[indices], *trees)
        is_known = (indices >= 0)[:, None, None]
        return taken._replace(edge=jnp.where(is_known, taken.edge, 0))  # without a visit

    return shard_over_devices(init, mesh), take, shard_over_devices(search, mesh)


class TimedPlayer:
    """A player with search that stops by the clock instead of by its simulations.

    It is a `HostPlayer`. One position is searched at a time, on one device. The number of
    simulations among its `parameters` is not used.
    """

    def __init__(self, player: Player, seconds: float):
        """Takes the search of a player, and the time of each move, compilation apart.

        Raises:
          ValueError: The player does not search, or its search does not run in pieces, or the
            seconds are not above 0.
        """
        if not isinstance(player.act, SearchAct):
            raise ValueError("it does not search, so seconds mean nothing")
        self.act, self.parameters = player.act, player.parameters
        variables, search, weight = player.parameters
        self._inputs = search, variables
        self._search = _timed_search(player.act, structure(search), float(weight), seconds)

    @property
    def games_at_once(self) -> int:
        """Few where each game has a tree that is kept, else all the same."""
        return 2 if self.parameters.search.keeps_trees else 2048

    @property
    def seconds(self) -> float:
        """The time of each move."""
        return self._search.seconds

    def prepare(self, state: State) -> None:
        """Compiles the search and measures its speed, given any position."""
        self._search.prepare(*self._inputs, jax.random.key(0)[None], batch_of_one(state))

    def search(
        self, state: State, key: chex.PRNGKey, seconds: float | None = None, kept: Any = None
    ) -> SearchResult:
        """Returns the search of a position, a batch of 1; in less time than usual if given.

        It goes on with what an earlier one kept, if given.
        """
        return self._search(*self._inputs, key[None], batch_of_one(state), seconds, kept)

    def open_match(self) -> contextlib.AbstractContextManager[MatchPlayer]:
        """Returns the player at the start of a match."""
        return contextlib.nullcontext(_TimedMatch(self))


class _TimedMatch:
    """A timed player in one match; it goes on with the tree of its last move in each game."""

    def __init__(self, player: TimedPlayer):
        self._player = player
        self._kept: dict[int, Any] = {}  # by the number of the game

    def choose(self, turns: Turns) -> np.ndarray:
        """Returns [P] int32, the actions; 0 where it is not its turn."""
        actions = np.zeros(len(turns.is_turn), np.int32)
        for i in np.flatnonzero(turns.is_turn):
            state = jax.tree.map(lambda x, i=i: x[i], turns.states)
            game = int(turns.games[i])
            result = self._player.search(state, turns.keys[i], kept=self._kept.get(game))
            self._kept[game] = result.kept
            actions[i] = result.action[0]
        return actions

    def end(self, games: Iterable[int]) -> None:
        """Lets go of the trees of games that are over."""
        for game in games:
            self._kept.pop(game, None)


@cache_programs
def _timed_search(
    act: SearchAct, options: jax.tree_util.PyTreeDef, rollout_weight: float, seconds: float
) -> TimedSearch:
    """Returns the search of players whose searches have the same structure."""
    search = options.unflatten([0.0] * options.num_leaves)
    return TimedSearch(act.make_model(rollout_weight), search, seconds)
