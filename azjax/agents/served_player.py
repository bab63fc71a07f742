"""Named players as what azjax plays with as an engine, by GTP or UCI."""

import dataclasses
import functools
from collections.abc import Callable
from typing import Any

import jax

from azjax.agents.player_spec import NamedPlayer
from azjax.engines.gtp_server import Searches
from azjax.evaluation import HostPlayer, Player, TimedPlayer, choose_action, in_match
from azjax.evaluation.players.player import SearchAct
from azjax.games import Game, State, batch_of_one
from azjax.games.go.rules import Go
from azjax.search import PUCT, SearchPieces, TreeSearch
from azjax.support.component import carry_over
from azjax.support.errors import InputError
from azjax.support.program_cache import cache_programs

_MOST_SIMULATIONS = 8192  # of an analysis
_MOST_EDGES = 1 << 24  # of its tree, by which memory has a limit
_AT_ONCE = 16  # simulations, between which it can be stopped


class LocalPlayer:
    """Chooses a player's moves; a `ServedPlayer` of `azjax.engines.gtp_server`.

    A player with seconds keeps to its own and to the controller's clock; others do not look at it.
    """

    def __init__(self, player: Player | TimedPlayer, game: Game, seed: int):
        """Compiles the player, so that its first move takes no longer than others."""
        self._player, self._key = player, jax.random.key(seed)
        state = game.init(self._key)
        if isinstance(player, TimedPlayer):
            player.prepare(state)
            self._kept: Any = None
        else:
            self._match = in_match(player)
            self.choose(state, None)
            self._match = in_match(player)  # the compiled programs are kept, the tree is not

    def choose(self, state: State, seconds: float | None) -> int:
        """Returns the action; each has a key of its own."""
        self._key, key = jax.random.split(self._key)
        if isinstance(self._player, TimedPlayer):
            result = self._player.search(state, key, seconds, self._kept)
            self._kept = result.kept
            return int(result.action[0])
        return choose_action(self._match, state, key, actions=())  # which no `Player` reads

    def analyze(self, state: State, most: int | None = None) -> Searches | None:
        """Returns a search of up to 8,192 simulations, or `most`; the first compiles programs.

        One that must know its number beforehand, such as Gumbel's, is replaced by PUCT.
        """
        act = self._player.act
        if not isinstance(act, SearchAct):
            return None
        _, search, rollout_weight = self._player.parameters
        if not isinstance(search, TreeSearch):
            return None
        pieces = _pieces(act, float(rollout_weight))
        if not search.is_anytime:
            search = carry_over(search, PUCT).without_noise()
        simulations = min(_MOST_SIMULATIONS, _MOST_EDGES // act.game.num_actions)
        search = dataclasses.replace(search, num_simulations=simulations)
        return self._run(pieces, search, state, min(most or simulations, simulations))

    def _run(self, pieces: SearchPieces, search: TreeSearch, state: State, most: int) -> Searches:
        self._key, key = jax.random.split(self._key)
        variables = self._player.parameters.variables
        searches = pieces.init(search, variables, key[None], batch_of_one(state))
        for done in range(0, most, _AT_ONCE):
            size = min(_AT_ONCE, most - done)
            searches = jax.block_until_ready(pieces.run(search, variables, searches, size))
            yield functools.partial(pieces.finish, search, searches)


@functools.partial(cache_programs, most=8)
def _pieces(act: SearchAct, rollout_weight: float) -> SearchPieces:
    """Returns the pieces of analyses, which outlive the player that is made for each game."""
    return SearchPieces(act.make_model(rollout_weight))


def served_player_maker(
    named: NamedPlayer, load: Callable[[str], NamedPlayer], seed: int
) -> Callable[[Game], LocalPlayer]:
    """Returns the function that makes a named player ready at a game.

    A player without a network plays all games, and is loaded again by the name of the game. An
    agent plays its own alone, in Go with any komi.
    """

    def make_player(game: Game) -> LocalPlayer:
        if game == named.game:
            player = named.player
        elif named.iteration is None:
            player = load(game.name).player
        elif (
            isinstance(game, Go)
            and isinstance(named.game, Go)
            and game == dataclasses.replace(named.game, komi=game.komi, name=game.name)
        ):
            player = _with_rules(named.player, game)
        else:
            raise InputError(f"{named.name} plays {named.game.name} alone")
        if not isinstance(player, Player | TimedPlayer):
            raise InputError(f"{named.name} is an engine already")
        return LocalPlayer(player, game, seed)

    return make_player


def _with_rules(player: Player | HostPlayer, game: Game) -> Player | HostPlayer:
    """Returns the player at a game with the positions and actions of its own."""
    if isinstance(player, TimedPlayer):
        untimed = Player(dataclasses.replace(player.act, game=game), player.parameters)
        return TimedPlayer(untimed, player.seconds)
    assert isinstance(player, Player)
    act: Any = player.act  # of an agent, so a dataclass with its game
    return player._replace(act=dataclasses.replace(act, game=game))
