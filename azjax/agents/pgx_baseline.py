"""The baseline agents of Pgx as players: `pgx-baseline:go_9x9`, by their policy or with search.

"Pgx: Hardware-Accelerated Parallel Game Simulators for Reinforcement Learning", Koyamada et al.,
NeurIPS 2023. They are residual networks that Gumbel AlphaZero trained.
"""

import contextlib
import dataclasses
import functools
import importlib
import types
from collections.abc import Callable, Iterable
from typing import Any, cast

import chex
import jax
import numpy as np

from azjax import games
from azjax.evaluation import MatchPlayer, Turns, in_match, network_player, search_player
from azjax.evaluation.players.player import Player, SearchAgent
from azjax.games import Game, State
from azjax.games.pgx_adapter import PGX_PREFIX
from azjax.networks import Network
from azjax.search import Gumbel
from azjax.support.errors import RunError
from azjax.support.program_cache import cache_programs

PREFIX = "pgx-baseline:"
_FOLDER = "baselines"  # where Pgx keeps the weights that it has downloaded
_OWN_GAMES = {  # azjax's game of the same rules and actions, by Pgx's
    "animal_shogi": None,
    "gardner_chess": None,
    "go_9x9": "go_9",
    "hex": "hex:swap=true",
    "othello": "othello",
}


@dataclasses.dataclass(frozen=True)
class BaselinePlayer:
    """A baseline, in Pgx's game or in azjax's of the same rules; a `HostPlayer`."""

    name: str
    player: Player  # in Pgx's game
    game: Game  # Pgx's
    games_at_once: int = 256
    is_random: bool = False

    def open_match(self) -> contextlib.AbstractContextManager[MatchPlayer]:
        """Returns the player at the start of a match."""
        return contextlib.nullcontext(_Match(self))


def load_baseline(name: str, game: Game) -> BaselinePlayer:
    """Returns the baseline of a name such as `pgx-baseline:go_9x9,simulations=32`.

    Pgx loads its weights from the folder `baselines`, by pickle, or downloads them into it.

    Raises:
      ValueError: There is no such baseline, or it plays another game, or has no weights.
    """
    env_id, _, option = name.removeprefix(PREFIX).partition(",")
    key, _, number = option.partition("=")
    if env_id not in _OWN_GAMES or (option and not (key == "simulations" and number.isdecimal())):
        there = ", ".join(_OWN_GAMES)
        raise ValueError(f"write {PREFIX}NAME or {PREFIX}NAME,simulations=32, NAME one of {there}")
    mirrored = games.make(PGX_PREFIX + env_id)
    played = [mirrored.name, *filter(None, [_OWN_GAMES[env_id]])]
    if game not in map(games.make, played):
        raise ValueError(f"it plays {' and '.join(played)} alone, not {game.name}")
    network = cast(Network, _BaselineNetwork(env_id))
    if int(number or 0) == 0:
        return BaselinePlayer(name, network_player(mirrored, network, cast(Any, ())), mirrored)
    agent = SearchAgent(mirrored, network, Gumbel(num_simulations=int(number)))
    return BaselinePlayer(name, search_player(agent, cast(Any, ())), mirrored)


class _BaselineNetwork:
    """What a search needs of a network; equal for equal games."""

    config = types.SimpleNamespace(value_head="scalar", is_convolutional=False)

    def __init__(self, env_id: str):
        """Loads the weights."""
        self._env_id, self._forward = env_id, _load(env_id)

    def apply(self, variables: Any, observation: chex.Array) -> tuple[chex.Array, chex.Array]:
        """Returns the logits [B, A] and the values [B] for the players to move."""
        with jax.numpy_rank_promotion("allow"):
            return self._forward(observation)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _BaselineNetwork) and other._env_id == self._env_id

    def __hash__(self) -> int:
        return hash(self._env_id)


@functools.cache
def _load(env_id: str) -> Callable[[chex.Array], tuple[chex.Array, chex.Array]]:
    try:
        return importlib.import_module("pgx").make_baseline_model(f"{env_id}_v0", _FOLDER)
    except ImportError as error:
        raise ValueError(f"needs {error.name}: pip install 'azjax[pgx]' dm-haiku") from error
    except Exception as error:  # of a download, or of a damaged file
        raise ValueError(
            f"no weights could be loaded ({type(error).__name__}): give Pgx's file as "
            f"{_FOLDER}/{env_id}_v0.ckpt"
        ) from error


class _Match:
    """Replays each game in Pgx's rules, and plays there."""

    def __init__(self, baseline: BaselinePlayer):
        self._baseline, self._player = baseline, in_match(baseline.player)
        self._followed: dict[int, tuple[int, State]] = {}  # moves and position by game

    def choose(self, turns: Turns) -> np.ndarray:
        """Returns [P] int, the actions; raises RunError where Pgx has ended a game."""
        states = [self._follow(*game) for game in zip(turns.games, turns.actions, strict=True)]
        for state, is_turn, number in zip(states, turns.is_turn, turns.games, strict=True):
            if is_turn and state.terminated:
                raise RunError(f"{self._baseline.name}: by Pgx's rules game {number + 1} has ended")
        stacked = jax.tree.map(lambda *x: np.stack(x), *states)
        return self._player.choose(turns._replace(states=stacked))

    def end(self, games: Iterable[int]) -> None:
        """Lets go of games that are over."""
        for game in games:
            self._followed.pop(int(game), None)

    def _follow(self, game: int, actions: Iterable[int]) -> State:
        init, step = _rules(self._baseline.game)
        done, state = self._followed.get(int(game)) or (0, init(jax.random.key(0)))
        for action in list(actions)[done:]:
            state, done = step(state, action), done + 1
        self._followed[int(game)] = done, state
        return state


@cache_programs
def _rules(game: Game) -> tuple[Callable[..., State], Callable[..., State]]:
    return jax.jit(game.init), jax.jit(game.step)
