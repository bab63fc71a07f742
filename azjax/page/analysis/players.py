"""The players to choose from, by names: none leads to other files, programs or endless work."""

import dataclasses
import functools
import pathlib
from typing import NamedTuple

import jax
import numpy as np

from azjax import games
from azjax.agents.agent import split_name
from azjax.agents.agent_file import SUFFIX, read_agent_file, shipped_agents
from azjax.agents.player_spec import MCTS_SIMULATIONS, built_in_players, load_player
from azjax.evaluation import (
    HostPlayer,
    Player,
    choose_actions,
    find_position,
    is_solvable,
    search_config,
    solve,
)
from azjax.evaluation.players.player import SearchAct, SearchParameters
from azjax.games import Game, batch_of_one
from azjax.page.analysis.exact import exact_scores, has_solver
from azjax.page.analysis.rules import Position, make_rules
from azjax.page.runs_folder import list_runs, path_below, require_plugins
from azjax.page.worker import SharedResults, Worker
from azjax.search import Search
from azjax.support.errors import InputError, input_errors

RUNS = "runs/"  # begins the names of agents in the folder of runs, whatever its path
MAX_SIMULATIONS = 10_000
_MAX_TREE = 4_000_000  # actions in all nodes of a tree, of some 40 bytes each
_MOST_PLAYERS = 16  # in use
_MOST_FILES = 256  # whose games are remembered
# Their tables have no row for a position that is entered and that play does not reach.
_WITH_TABLE = ("truth", "minimax")


@dataclasses.dataclass(frozen=True, eq=False)
class PagePlayer:
    """A player of one game."""

    name: str  # in full
    game: Game
    player: Player | HostPlayer

    @property
    def kind(self) -> str:
        """The name without options."""
        return self.name.partition(":")[0]

    @property
    def search(self) -> Search | None:
        """Its search; None if it does not search."""
        return search_config(self.player)

    @property
    def act(self) -> SearchAct:
        """The search of a player that searches."""
        assert isinstance(self.player, Player)
        assert isinstance(self.player.act, SearchAct)
        return self.player.act

    @property
    def parameters(self) -> SearchParameters:
        """The parameters of a player that searches."""
        assert isinstance(self.player, Player)
        return self.player.parameters

    def choose_move(self, position: Position, seed: int) -> int:
        """Returns the action that a player without search plays in an unfinished position.

        Raises:
          InputError: The player knows the positions alone that play from the start reaches.
          RunError: The solver of Connect Four fails.
        """
        if self.name in _WITH_TABLE:
            solution = solve(self.game)
            with input_errors():
                find_position(solution, self.game, position.state)
        if isinstance(self.player, Player):
            states, keys = batch_of_one(position.state), jax.random.key(seed)[None]
            return int(choose_actions(self.player, states, keys)[0])
        scores = exact_scores(self.game, position)
        best = [action for action, score in scores.items() if score == max(scores.values())]
        return int(np.random.default_rng(seed).choice(best))


def full_name(name: str, simulations: int | None = None, algorithm: str | None = None) -> str:
    """Returns a player's name with all that is given of its search; an agent's own stays open.

    Args:
      name: A shipped agent, `runs/NAME`, `runs/NAME@ITERATION`, `runs/FILE.npz` or a built-in
        player, each with options or without, such as `mcts:simulations=1000`.
      simulations: Of its search, unless the name gives them.
      algorithm: Of its search, unless the name gives it.

    Raises:
      InputError: The name gives seconds.
    """
    kind, options = split_options(name)
    if "seconds" in options:
        raise InputError(f"{name}: the page counts simulations: leave out seconds")
    if _searches(kind):
        usual = MCTS_SIMULATIONS if kind == "mcts" else None
        if given := simulations or usual:  # else as in the agent's evaluations
            options.setdefault("simulations", str(given))
        if algorithm is not None:
            options.setdefault("search", algorithm)
    text = ",".join(f"{key}={value}" for key, value in sorted(options.items()))
    return f"{kind}:{text}" if text else kind


def takes_simulations(name: str) -> bool:
    """Tells whether a player searches, and its name leaves the number of simulations open."""
    kind, options = split_options(name)
    return _searches(kind) and "simulations" not in options


def _searches(kind: str) -> bool:
    """Tells whether players of a kind search: mcts, and agents."""
    return kind == "mcts" or kind not in built_in_players()


def split_options(name: str) -> tuple[str, dict[str, str]]:
    """Returns the player's kind, and its options as they are written."""
    kind, _, text = name.partition(":")
    entries = (entry.partition("=") for entry in filter(None, text.split(",")))
    return kind, {key: value for key, _, value in entries}


def load_page_player(runs: pathlib.Path, name: str, game: str | None = None) -> PagePlayer:
    """Loads a player by its name from `full_name`, of a game or of the agent's own.

    Raises:
      InputError: There is no such player, or it would take too long.
    """
    kind, colon, text = name.partition(":")
    path = _locate(runs, kind)
    try:
        if kind.startswith(RUNS) and not pathlib.Path(path).is_file():
            require_plugins(split_name(path)[0])
        loaded = load_player(f"{path}{colon}{text}", game)
    except InputError as error:
        raise InputError(str(error).replace(path, kind)) from error
    player = PagePlayer(name, loaded.game, loaded.player)
    most = min(MAX_SIMULATIONS, _MAX_TREE // player.game.num_actions)
    search = player.search
    if search is not None and search.num_simulations + getattr(search, "kept_nodes", 0) > most:
        what = "simulations, with the nodes that are kept,"
        raise InputError(f"{name}: at most {most:,} {what} of {player.game.name}")
    return player


def _locate(runs: pathlib.Path, kind: str) -> str:
    """Returns the name of a player for `load_player`."""
    if kind in built_in_players():
        return kind
    if kind in shipped_agents():
        return str(shipped_agents()[kind])
    if kind.startswith(RUNS):
        folder, at, iteration = kind.removeprefix(RUNS).partition("@")
        return f"{path_below(runs, folder)}{at}{iteration}"
    there = ", ".join([*shipped_agents(), *built_in_players()])
    raise InputError(f"no player {kind[:100]!r}: there are {there}, and {RUNS}NAME for a run")


class PlayerCache:
    """The players in use, each loaded once as long as its run saves no new network."""

    def __init__(self, runs: pathlib.Path, worker: Worker):
        self._runs, self._worker = runs, worker
        self._players = SharedResults[PagePlayer](_MOST_PLAYERS)

    async def get(
        self,
        name: str,
        game: str | None = None,
        simulations: int | None = None,
        algorithm: str | None = None,
    ) -> PagePlayer:
        """Returns a player, the same for all visitors who name the same one in whatever way.

        Without a game it is the agent's; other arguments are as for `full_name`.

        Raises:
          InputError: There is no such player, or it plays another game, or would take too long.
        """
        name = full_name(name, simulations, algorithm)
        own_game = (
            game if split_options(name)[0] in built_in_players() else None
        )  # an agent's is its own
        changed_at = await self._worker.access_files(_changed_at, self._runs, name)
        load = functools.partial(self._worker.load, load_page_player, self._runs, name, own_game)
        player = await self._players.get((name, own_game, changed_at), load)
        if game is not None:
            rules = await self._worker.run_rules(make_rules, game)
            if rules.game != player.game:
                raise InputError(f"{player.kind} plays {player.game.name}, not {game}")
        return player


def _changed_at(runs: pathlib.Path, name: str) -> tuple[int, ...]:
    """Returns when the files of an agent below the folder of runs have changed."""
    if not name.startswith(RUNS):
        return ()
    path = path_below(runs, name.removeprefix(RUNS).partition(":")[0].partition("@")[0])
    parts = (path, path / "checkpoints", path / "history")
    return tuple(part.stat().st_mtime_ns for part in parts if part.exists())


class Agent(NamedTuple):
    """An agent that can be named on the page."""

    name: str
    game: str
    kind: str  # shipped, run or file


def list_agents(runs: pathlib.Path) -> list[Agent]:
    """Returns the shipped agents, then the runs and the agents' files in the folder of runs."""
    ready = [run for run in list_runs(runs) if run.has_network and not run.error]
    own = [Agent(f"{RUNS}{run.name}", run.game, "run") for run in ready]
    for path in sorted(runs.glob(f"*{SUFFIX}")):
        try:
            own.append(Agent(f"{RUNS}{path.name}", _game_of_file(path), "file"))
        except (InputError, OSError):  # it is damaged, or no agent at all, or gone
            continue
    files = shipped_agents().items()
    return [*(Agent(name, _game_of_file(path), "shipped") for name, path in files), *own]


def list_players(game: Game, agents: list[Agent]) -> list[str]:
    """Returns the names of the players of a game, agents first."""
    own = [agent.name for agent in agents if agent.game == game.name]
    exact = ["truth"] if is_solvable(game) else ["perfect"] if has_solver(game) else []
    return [*own, "mcts:simulations=200", "tactical", "random", *exact]


def list_games() -> list[str]:
    """Returns the names of the games, with the games of Pgx if it is installed."""
    return [*games.names(), *(games.pgx_names() if games.has_pgx() else [])]


def _game_of_file(path: pathlib.Path) -> str:
    return _read_game(path, path.stat().st_mtime_ns)


@functools.lru_cache(_MOST_FILES)
def _read_game(path: pathlib.Path, changed: int) -> str:
    """Returns the game of an agent's file, read again when it has changed: all of it is checked."""
    del changed
    return read_agent_file(path).config.train.game
