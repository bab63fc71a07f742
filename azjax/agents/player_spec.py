"""Players by name: `random`, `mcts:simulations=1000`, `runs/ttt@120:simulations=64`, ..."""

import dataclasses
import functools
import pathlib
from collections.abc import Callable
from typing import Any, NamedTuple

from azjax import games
from azjax.agents.agent import (
    USUAL_FOLDER,
    Agent,
    agent_config,
    is_agent,
    load_agent,
    suggest_agent,
)
from azjax.agents.agent_file import shipped_agents
from azjax.agents.engine_player import PERFECT, EngineSettings, is_engine, load_engine
from azjax.evaluation import (
    HostPlayer,
    Player,
    TimedPlayer,
    mcts_player,
    minimax_player,
    optimal_player,
    random_player,
    search_config,
)
from azjax.evaluation.players.player import SearchAct
from azjax.games import Game
from azjax.runs.storage.run_folders import is_run, runs_below
from azjax.search import UCT, Search, TreeSearch
from azjax.support.component import get_component
from azjax.support.errors import InputError, input_errors
from azjax.support.plurals import count
from azjax.support.suggestions import did_you_mean
from azjax.support.validation import check_at_least, check_number, check_share

Options = dict[str, Any]  # of a player, by name

_TYPES: dict[str, tuple[Callable[[str], Any], str]] = {
    "depth": (int, "a whole number"),  # of minimax; None: exact play
    "simulations": (int, "a whole number"),  # 0: an agent's policy; None: as evaluated
    "seconds": (float, "a number"),  # of each move, instead of simulations
    "search": (str, "a text"),  # the algorithm; None: an agent's own
    "kept": (int, "a whole number"),  # nodes kept from move to move; None: the search's own
    "c": (float, "a number"),  # c_uct of search uct
    "rollouts": (float, "a number"),  # weight of a rollout in a leaf's value
}
MCTS_SIMULATIONS = 200
_OF_AGENTS: Options = {
    "simulations": None,
    "seconds": None,
    "search": None,
    "kept": None,
    "rollouts": 0.0,
}


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
        """The simulations of each move; None if it does not search, or stops by the clock."""
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
      game_name: The game; if not given, the agent's.
      simulations: The simulations of its search, unless its name gives them; None for as many as in
        an agent's evaluations, and 200 of `mcts`.
      seconds: The seconds of each move, instead of simulations, unless its name gives either.

    Raises:
      InputError: The name is unknown, or names an agent for another game, or the player does not
        search and simulations or seconds are given, or both are.
    """
    game = _common_game([name], game_name)
    given = {"simulations": simulations, "seconds": seconds}
    given = {key: value for key, value in given.items() if value is not None}
    if len(given) > 1:
        raise InputError("give either --simulations or --seconds")
    defaults = {} if is_engine(name) else _default_options(name)
    for key in given.keys() - defaults.keys():
        raise InputError(f"{name} does not search: leave out --{key}")
    return _load_player(name, game, defaults | given, EngineSettings())


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
      simulations: The simulations of an agent's search, unless its name gives them; None for as
        many as in its evaluations.
      engines: How the engines among the players are run.

    Raises:
      InputError: A name is unknown, or the players play different games.
    """
    game = _common_game(names, game_name)
    of_agents = _OF_AGENTS | {"simulations": simulations}
    return [
        _load_player(name, game, _default_options(name, of_agents), engines or EngineSettings())
        for name in names
    ]


def name_agent(agent: Agent, name: str, player: Player | TimedPlayer) -> NamedPlayer:
    """Returns an agent, or its policy, as a player of a name."""
    act = player.act
    is_random = isinstance(act, SearchAct) and act.is_random(player.parameters.search)
    return NamedPlayer(name, agent.game, player, agent.iteration, is_random, agent.warnings)


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


def _default_options(name: str, of_agents: Options = _OF_AGENTS) -> Options:
    """Returns the options of a player, without the ones in its name."""
    kind, _ = _split_options(name)
    return _MAKERS[kind][0] if kind in _MAKERS else of_agents


def _load_player(name: str, game: Game, defaults: Options, engines: EngineSettings) -> NamedPlayer:
    shown = name.encode(errors="backslashreplace").decode()
    if is_engine(name):
        engine = load_engine(name, game, engines)
        return NamedPlayer(shown, game, engine, None, engine.is_random, warnings=[])
    kind, text = _split_options(name)
    options = _parse_options(name, text, defaults)
    if kind not in _MAKERS:
        return _load_agent_player(shown, kind, **options)
    with input_errors(name):
        player = _MAKERS[kind][1](game, **options)
    return NamedPlayer(shown, game, player, iteration=None, is_random=True, warnings=[])


def _parse_options(name: str, text: str, defaults: Options) -> Options:
    """Returns the default options, updated with `key=value,...`.

    Simulations that are given replace seconds among the defaults.

    Raises:
      InputError: A key is unknown, or a value is not of its type, or both simulations and seconds
        are given.
    """
    options: Options = {}
    for entry in filter(None, text.split(",")):
        key, _, value = entry.partition("=")
        if key in options:
            raise InputError(f"{name}: {key} is given twice")
        if key not in defaults:
            there = did_you_mean(key, defaults) if defaults else "it takes none"
            raise InputError(f"{name}: no option {key!r}; {there}")
        convert, wanted = _TYPES[key]
        try:
            options[key] = convert(value)
        except ValueError:
            raise InputError(f"{name}: {key}={value!r}: must be {wanted}") from None
    if "simulations" in options and "seconds" in options:
        raise InputError(f"{name}: give either simulations or seconds")
    without_clock = {"seconds": None} if "simulations" in options else {}
    return defaults | without_clock | options


def _load_agent_player(
    name: str,
    kind: str,
    simulations: int | None,
    seconds: float | None,
    search: str | None,
    kept: int | None,
    rollouts: float,
) -> NamedPlayer:
    has_search = simulations != 0 or seconds is not None
    with input_errors(name):
        if simulations is not None:
            check_at_least("simulations", simulations, 0)
        check_share("rollouts", rollouts)
    if not has_search and (search is not None or rollouts):
        raise InputError(f"{name}: without simulations there is neither search nor rollouts")
    agent = load_agent(kind, 1 if simulations == 0 else simulations, search)
    untimed = agent.player(rollouts) if has_search else agent.policy()
    with input_errors(name):
        return name_agent(agent, name, _with_options(untimed, kept, seconds))


def _check_name(kind: str) -> None:
    """Raises InputError unless this is the name of a player, without its options."""
    if kind in _MAKERS or is_agent(kind):
        return
    is_game = games.base_name(kind) in [*games.names(), *games.pgx_names()]
    if is_game and not is_run(USUAL_FOLDER / kind):
        raise InputError(f"{kind} is a game, not a player: write a player, and --game {kind}")
    path = pathlib.Path(kind.partition("@")[0].partition(":")[0])
    if below := runs_below(path):
        raise InputError(f"{path} holds {len(below)} runs: name one, such as {below[0]}")
    built_in = "random, tactical, minimax, minimax:depth=3, mcts:simulations=1000, truth, perfect"
    run = "a run: FOLDER, FOLDER@best, FOLDER@ITERATION:simulations=64"
    engines = "gtp:COMMAND, uci:COMMAND, pgx-baseline:NAME"
    names = f"{', '.join([built_in, *shipped_agents()])}, {engines}, a FILE.npz, or {run}"
    hint = suggest_agent(kind, _MAKERS, otherwise=f"write {names}")
    raise InputError(f"no player {kind!r}, nor a run in such a folder; {hint}")


def _split_options(name: str) -> tuple[str, str]:
    """Splits a name at its last colon into player and options; folders may contain colons."""
    kind, _, options = name.rpartition(":")
    if not is_run(pathlib.Path(name)) and (kind in _MAKERS or (kind and is_agent(kind))):
        return kind, options
    return name, ""


def _make_minimax(game: Game, depth: int | None) -> Player:
    if depth is not None:
        return minimax_player(game, depth)
    try:
        return optimal_player(game)
    except ValueError as error:
        raise ValueError(f"{error}; minimax:depth=3 looks 3 moves ahead") from error


def _make_mcts(
    game: Game,
    simulations: int,
    seconds: float | None,
    search: str,
    kept: int | None,
    c: float | None,
) -> Player | TimedPlayer:
    config: Search = get_component("search", search)()
    config = dataclasses.replace(config, num_simulations=simulations)
    if c is not None:
        check_number("c", c)
        if not isinstance(config, UCT):
            raise ValueError(f"c={c}: leave it out, as search {search} has no c_uct")
        config = dataclasses.replace(config, c_uct=c)
    return _with_options(mcts_player(game, config), kept, seconds)


def _with_options(player: Player, kept: int | None, seconds: float | None) -> Player | TimedPlayer:
    """Returns the player with the nodes that its search keeps, and its clock, where given."""
    if kept is not None:
        own = search_config(player)
        if not isinstance(own, TreeSearch):
            raise ValueError(f"kept={kept}: leave it out, as this player has no search tree")
        changed = dataclasses.replace(own, kept_nodes=kept)
        changed.check()
        player = player._replace(parameters=player.parameters._replace(search=changed))
    return player if seconds is None else TimedPlayer(player, seconds)


# By name: the default options, and what makes the player from a game and options.
_MAKERS: dict[str, tuple[Options, Callable[..., Player | TimedPlayer]]] = {
    "random": ({}, random_player),
    "tactical": ({}, functools.partial(minimax_player, depth=2)),
    "minimax": ({"depth": None}, _make_minimax),
    "truth": ({}, optimal_player),
    "mcts": (
        {
            "simulations": MCTS_SIMULATIONS,
            "seconds": None,
            "search": "uct",
            "kept": None,
            "c": None,
        },
        _make_mcts,
    ),
}
