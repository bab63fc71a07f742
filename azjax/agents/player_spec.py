"""Players by name: `random`, `mcts:simulations=1000`, `runs/ttt@120:simulations=64`, ..."""

import dataclasses
import pathlib
from collections.abc import Callable
from typing import Any, NamedTuple

from azjax import games
from azjax.agents.agent import agent_config, is_agent, load_agent
from azjax.agents.agent_file import shipped_agents
from azjax.agents.engine_player import PERFECT, EngineSettings, is_engine, load_engine
from azjax.agents.near_agents import USUAL_FOLDER, check_is_one_run, suggest_agent
from azjax.agents.player_options import (
    AgentOptions,
    MctsOptions,
    MinimaxOptions,
    NoOptions,
    PlayerOptions,
    parse_options,
)
from azjax.evaluation import (
    HostPlayer,
    Player,
    TimedPlayer,
    mcts_player,
    minimax_player,
    optimal_player,
    random_player,
    search_config,
    tactical_player,
)
from azjax.evaluation.players.player import SearchAct
from azjax.games import Game
from azjax.runs.storage.run_folders import is_run
from azjax.search import UCT, Search
from azjax.support.component_registry import default_component
from azjax.support.errors import InputError, input_errors
from azjax.support.plurals import count
from azjax.support.validation import check_number


class NamedPlayer(NamedTuple):
    """A player, and the name that it was given by."""

    name: str  # printable: what is no text in UTF-8 is escaped
    game: Game
    player: Player | HostPlayer
    iteration: int | None  # of the run or file
    is_random: bool  # whether its moves depend on the seed
    warnings: list[str]

    @property
    def simulations(self) -> int | None:
        """Those of each of its moves; None if it does not search, or stops by the clock."""
        config = search_config(self.player)
        return config.simulations_made if config and isinstance(self.player, Player) else None

    @property
    def description(self) -> str:
        """Its name, and how many simulations it makes, if they have a number."""
        made = self.simulations
        return self.name if made is None else f"{self.name} ({count(made, 'simulation')} a move)"


def load_player(
    name: str, game_name: str | None, simulations: int | None = None, seconds: float | None = None
) -> NamedPlayer:
    """Loads one player.

    Args:
      name: Its name.
      game_name: The game; if not given, that of the agent.
      simulations: Those of its search, unless its name gives them; None for those of an agent's
        evaluations, and 200 of `mcts`.
      seconds: Those of each move, instead of simulations, unless its name gives either.

    Raises:
      InputError: The name is unknown, or names an agent for another game, or the player does not
        search and simulations or seconds are given, or both are.
    """
    game = _common_game([name], game_name)
    defaults = _default_options(name, AgentOptions())
    if simulations is not None and seconds is not None:
        raise InputError("give either --simulations or --seconds")
    if not is_engine(name) and isinstance(defaults, MctsOptions | AgentOptions):
        defaults = dataclasses.replace(defaults, seconds=seconds)
        if simulations is not None:
            defaults = dataclasses.replace(defaults, simulations=simulations)
    elif simulations is not None or seconds is not None:
        flag = "--seconds" if simulations is None else "--simulations"
        raise InputError(f"{name} does not search: leave out {flag}")
    return _load_player(name, game, defaults, EngineSettings())


def load_players(
    names: list[str],
    game_name: str | None,
    simulations: int | None,
    engines: EngineSettings | None = None,
) -> list[NamedPlayer]:
    """Loads players of one game.

    Args:
      names: At least one name.
      game_name: The game; if not given, the game of the agents among the players.
      simulations: The simulations of an agent's search, unless its name gives them; None for those
        of its evaluations.
      engines: How the engines among the players are run.

    Raises:
      InputError: A name is unknown, or the players play different games.
    """
    game = _common_game(names, game_name)
    defaults = [_default_options(name, AgentOptions(simulations)) for name in names]
    return [
        _load_player(name, game, own, engines or EngineSettings())
        for name, own in zip(names, defaults, strict=True)
    ]


def check_is_agent(name: str) -> None:
    """Raises InputError for a built-in player, such as `random`, or an engine: no network."""
    if is_engine(name) or _split_options(name)[0] in _MAKERS:
        there = ", ".join(shipped_agents())
        raise InputError(f"{name} has no network: name a run, or an agent of azjax, {there}")


def built_in_players() -> list[str]:
    """Returns the names of the players that are neither agents nor commands."""
    return [*_MAKERS, PERFECT]


def _common_game(names: list[str], game_name: str | None) -> Game:
    """Returns the game that --game and all agents among the players have in common."""
    kinds = {name: _split_options(name)[0] for name in names if not is_engine(name)}
    played = {"--game": game_name} if game_name else {}
    for name, kind in kinds.items():
        _check_name(kind)
        if kind not in _MAKERS:
            played[name] = agent_config(kind).train.game
    if not played:
        verb = "does" if len(names) == 1 else "do"
        hint = "give the game: --game NAME, in Python and JSON game"
        raise InputError(f"which game {verb} {' and '.join(names)} play? {hint}")
    with input_errors():
        made = {name: games.make(game) for name, game in played.items()}
    first, expected = next(iter(made.items()))
    for name, found in made.items():
        if found != expected:
            raise InputError(
                f"{name} plays {found.name}, but {first} is for {expected.name}: "
                "all must play the same game"
            )
    return expected


def _default_options(name: str, of_agents: AgentOptions) -> PlayerOptions:
    kind, _ = _split_options(name)
    return _MAKERS[kind][0] if kind in _MAKERS else of_agents


def _load_player(
    name: str, game: Game, defaults: PlayerOptions, engines: EngineSettings
) -> NamedPlayer:
    shown = name.encode(errors="backslashreplace").decode()
    if is_engine(name):
        engine = load_engine(name, game, engines)
        return NamedPlayer(shown, game, engine, None, engine.is_random, warnings=[])
    kind, text = _split_options(name)
    options = parse_options(name, text, defaults)
    if isinstance(options, AgentOptions):
        return _load_agent_player(shown, kind, game, options)
    with input_errors(name):
        player = _MAKERS[kind][1](game, options)
    return NamedPlayer(
        name=shown, game=game, player=player, iteration=None, is_random=True, warnings=[]
    )


def _load_agent_player(name: str, kind: str, game: Game, options: AgentOptions) -> NamedPlayer:
    options.check(name)
    agent = load_agent(kind, 1 if options.simulations == 0 else options.simulations, options.search)
    untimed = agent.player(options.rollouts) if options.has_search else agent.policy()
    with input_errors(name):
        player = _with_seconds(untimed, options.seconds)
    return NamedPlayer(
        name=name,
        game=game,
        player=player,
        iteration=agent.iteration,
        is_random=_is_random(untimed),
        warnings=agent.warnings,
    )


def _is_random(agent: Player) -> bool:
    """Tells whether an agent's moves depend on the key."""
    return isinstance(agent.act, SearchAct) and agent.act.is_random(agent.parameters.search)


def _check_name(kind: str) -> None:
    if kind in _MAKERS or is_agent(kind):
        return
    is_game = games.base_name(kind) in [*games.names(), *games.pgx_names()]
    if is_game and not is_run(USUAL_FOLDER / kind):
        raise InputError(f"{kind} is a game, not a player: write a player, and --game {kind}")
    check_is_one_run(kind)
    hint = suggest_agent(kind, _MAKERS, otherwise=f"write {_list_players()}")
    raise InputError(f"no player {kind!r}, nor a run in such a folder; {hint}")


def _list_players() -> str:
    built_in = "random, tactical, minimax, minimax:depth=3, mcts:simulations=1000, truth, perfect"
    run = "a run: FOLDER, FOLDER@best, FOLDER@ITERATION:simulations=64"
    return f"{', '.join([built_in, *shipped_agents()])}, gtp:COMMAND, a FILE.npz, or {run}"


def _split_options(name: str) -> tuple[str, str]:
    """Splits a name at its last colon into player and options; folders may contain colons."""
    kind, _, options = name.rpartition(":")
    if not is_run(pathlib.Path(name)) and (kind in _MAKERS or (kind and is_agent(kind))):
        return kind, options
    return name, ""


def _make_minimax(game: Game, options: MinimaxOptions) -> Player:
    if options.depth is not None:
        return minimax_player(game, options.depth)
    try:
        return optimal_player(game)
    except ValueError as error:
        raise ValueError(f"{error}; minimax:depth=3 looks 3 moves ahead") from error


def _make_mcts(game: Game, options: MctsOptions) -> Player | TimedPlayer:
    search: Search = default_component("search", options.search)
    search = dataclasses.replace(search, num_simulations=options.simulations)
    if options.c is not None:
        check_number("c", options.c)
        if not isinstance(search, UCT):
            raise ValueError(f"c={options.c}: leave it out, as search {search.name} has no c_uct")
        search = dataclasses.replace(search, c_uct=options.c)
    return _with_seconds(mcts_player(game, search), options.seconds)


def _with_seconds(player: Player, seconds: float | None) -> Player | TimedPlayer:
    return player if seconds is None else TimedPlayer(player, seconds)


_MAKERS: dict[str, tuple[Any, Callable[[Game, Any], Player | TimedPlayer]]] = {
    "random": (NoOptions(), lambda game, _: random_player(game)),
    "tactical": (NoOptions(), lambda game, _: tactical_player(game)),
    "minimax": (MinimaxOptions(), _make_minimax),
    "truth": (NoOptions(), lambda game, _: optimal_player(game)),
    "mcts": (MctsOptions(), _make_mcts),
}
