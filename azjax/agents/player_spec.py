"""Players by name: `random`, `mcts:simulations=1000`, `runs/ttt@120:simulations=64`, ..."""

import dataclasses
import pathlib
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from azjax import games
from azjax.agents.agent import agent_config, is_agent, load_agent
from azjax.agents.agent_file import shipped_agents
from azjax.evaluation import (
    Player,
    mcts_player,
    minimax_player,
    optimal_player,
    random_player,
    tactical_player,
)
from azjax.games import Game
from azjax.runs.run_directory import is_run
from azjax.search import SearchConfig, SearchHyperparameters
from azjax.support.errors import InputError, input_errors
from azjax.support.suggestions import did_you_mean
from azjax.support.validation import check_at_least, check_number, check_share

_PLAYERS = (
    "random, tactical, minimax, minimax:depth=3, mcts:simulations=1000, truth, an agent that comes "
    "with azjax, a FILE.npz, or a run: FOLDER, FOLDER@best, FOLDER@ITERATION:simulations=64"
)


_Options = TypeVar("_Options", "_NoOptions", "_Minimax", "_Mcts", "_Run")


class NamedPlayer(NamedTuple):
    """A player, and the name that it was given by."""

    name: str
    game: Game
    player: Player
    iteration: int | None  # of the run or file
    is_random: bool  # whether its moves depend on the seed
    warnings: list[str]


@dataclasses.dataclass(frozen=True)
class _NoOptions:
    pass


@dataclasses.dataclass(frozen=True)
class _Minimax:
    depth: int | None = None


@dataclasses.dataclass(frozen=True)
class _Mcts:
    simulations: int = 200
    search: str = "uct"
    c: float = SearchHyperparameters().c_uct


@dataclasses.dataclass(frozen=True)
class _Run:
    simulations: int  # 0: the policy without search
    search: str | None = None  # the algorithm; None: the run's own
    rollouts: float = 0.0  # weight of a rollout in a leaf's value


def load_players(names: list[str], game_name: str | None, simulations: int) -> list[NamedPlayer]:
    """Loads players of one game.

    Args:
      names: At least one name.
      game_name: The game; if not given, the game of the runs among the players.
      simulations: The simulations of a run's search, unless its name gives them.

    Raises:
      InputError: A name is unknown, or the players play different games.
    """
    game = _common_game(names, game_name)
    return [_load_player(name, game, simulations) for name in names]


def _common_game(names: list[str], game_name: str | None) -> Game:
    """Returns the game that --game and all runs among the players have in common."""
    kinds = {name: _split_options(name)[0] for name in names}
    played = {"--game": game_name} if game_name else {}
    for name, kind in kinds.items():
        _check_name(kind)
        if kind not in _MAKERS:
            played[name] = agent_config(kind).train.game
    if not played:
        raise InputError(f"which game do {' and '.join(names)} play? add --game NAME")
    first, expected = next(iter(played.items()))
    for name, found in played.items():
        if found != expected:
            raise InputError(
                f"{name} plays {found}, but {first} is for {expected}: all must play the same game"
            )
    with input_errors():
        return games.make(expected)


def _load_player(name: str, game: Game, simulations: int) -> NamedPlayer:
    kind, options = _split_options(name)
    if kind in _MAKERS:
        defaults, make = _MAKERS[kind]
        settings = _parse_options(name, options, defaults)
        with input_errors(name):
            player = make(game, settings)
        return NamedPlayer(
            name=name, game=game, player=player, iteration=None, is_random=True, warnings=[]
        )
    settings = _parse_options(name, options, _Run(simulations))
    _check_run_settings(name, settings)
    agent = load_agent(kind, settings.simulations or 1, settings.search)
    return NamedPlayer(
        name=name,
        game=game,
        player=agent.player(settings.rollouts) if settings.simulations else agent.policy(),
        iteration=agent.iteration,
        is_random=settings.rollouts > 0,
        warnings=agent.warnings,
    )


def _check_run_settings(name: str, settings: _Run) -> None:
    with input_errors(name):
        check_at_least("simulations", settings.simulations, 0)
        check_share("rollouts", settings.rollouts)
    if not settings.simulations and (settings.search is not None or settings.rollouts):
        raise InputError(f"{name}: without simulations there is neither search nor rollouts")


def _check_name(kind: str) -> None:
    if kind not in _MAKERS and not is_agent(kind):
        there = [*_MAKERS, *shipped_agents()]
        hint = did_you_mean(kind.partition(":")[0], there, otherwise=f"write {_PLAYERS}")
        raise InputError(f"no player {kind!r}, nor a run in such a folder; {hint}")


def _split_options(name: str) -> tuple[str, str]:
    """Splits a name at its last colon into player and options; folders may contain colons."""
    kind, _, options = name.rpartition(":")
    if not is_run(pathlib.Path(name)) and (kind in _MAKERS or (kind and is_agent(kind))):
        return kind, options
    return name, ""


def _parse_options(name: str, text: str, defaults: _Options) -> _Options:
    """Returns the default settings, updated with `key=value,...`.

    Raises:
      InputError: A key is unknown, or a value is not of its type.
    """
    kinds = {field.name: field.type for field in dataclasses.fields(defaults)}
    settings = {}
    for entry in filter(None, text.split(",")):
        key, _, value = entry.partition("=")
        if key in settings:
            raise InputError(f"{name}: {key} is given twice")
        if key not in kinds:
            there = did_you_mean(key, kinds) if kinds else "it takes none"
            raise InputError(f"{name}: no option {key!r}; {there}")
        try:
            settings[key] = _CONVERT[kinds[key]](value)
        except ValueError:
            raise InputError(f"{name}: {key}={value!r} is not a number") from None
    return dataclasses.replace(defaults, **settings)


def _make_minimax(game: Game, options: _Minimax) -> Player:
    if options.depth is None:
        return optimal_player(game)
    return minimax_player(game, options.depth)


def _make_mcts(game: Game, options: _Mcts) -> Player:
    check_number("c", options.c)
    config = SearchConfig(options.search, options.simulations)
    return mcts_player(game, config, SearchHyperparameters(c_uct=options.c))


_CONVERT: dict[Any, Callable[[str], Any]] = {
    int: int,
    int | None: int,
    float: float,
    str: str,
    str | None: str,
}
_MAKERS: dict[str, tuple[Any, Callable[[Game, Any], Player]]] = {
    "random": (_NoOptions(), lambda game, _: random_player(game)),
    "tactical": (_NoOptions(), lambda game, _: tactical_player(game)),
    "minimax": (_Minimax(), _make_minimax),
    "truth": (_NoOptions(), lambda game, _: optimal_player(game)),
    "mcts": (_Mcts(), _make_mcts),
}
