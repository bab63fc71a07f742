"""Players outside JAX, such as engines, beside those that are functions of a batch of states.

Both are asked for moves in the same way: `open_match(player).choose(turns)`.
"""

import contextlib
from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol

import chex
import numpy as np

from azjax.evaluation.players.choices import choose_actions
from azjax.evaluation.players.player import Player
from azjax.games import State, batch_of_one

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
        return contextlib.nullcontext(_BatchedPlayer(player, num_devices))
    return player.open_match()


def choose_action(
    player: MatchPlayer, state: State, key: chex.PRNGKey, actions: Sequence[int]
) -> int:
    """Returns the player's move in the only game of a match.

    Args:
      player: The player.
      state: The position, unfinished, with the player to move.
      key: [] the key of the move.
      actions: Those of the game from its start.
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
