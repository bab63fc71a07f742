"""Players by the names that visitors give: none leads to other files, programs or endless work."""

import dataclasses
import pathlib

from azjax.agents.agent_file import shipped_agents
from azjax.agents.player_spec import built_in_players, load_player
from azjax.evaluation import HostPlayer, Player, search_config
from azjax.evaluation.players.player import SearchAct, SearchParameters
from azjax.games import Game
from azjax.page.names import path_below
from azjax.search import SearchConfig
from azjax.support.errors import InputError

RUNS = "runs/"  # begins the names of agents in the folder of runs, whatever its path
MAX_SIMULATIONS = 10_000
_MAX_TREE = 4_000_000  # actions in all nodes of a tree, of some 40 bytes each


@dataclasses.dataclass(frozen=True, eq=False)
class PagePlayer:
    """A player of one game."""

    name: str  # as the visitor gave it
    game: Game
    player: Player | HostPlayer
    warnings: tuple[str, ...]

    @property
    def search(self) -> SearchConfig | None:
        """The configuration of its search; None if it does not search."""
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


def load_page_player(
    runs: pathlib.Path,
    name: str,
    game: str | None = None,
    simulations: int | None = None,
    algorithm: str | None = None,
) -> PagePlayer:
    """Loads a player.

    Args:
      runs: The folder of runs.
      name: A shipped agent, `runs/NAME`, `runs/NAME@ITERATION`, `runs/FILE.npz` or a built-in
        player, each with options or without, such as `mcts:simulations=1000`.
      game: The game; if not given, that of the agent.
      simulations: Those of its search, unless the name gives them.
      algorithm: That of its search, unless the name gives it.

    Raises:
      InputError: There is no such player, or it would take too long.
    """
    kind, options = _split(name)
    searches = kind == "mcts" or kind not in built_in_players()
    if "seconds" in options:
        raise InputError(f"{name}: the page counts simulations: leave out seconds")
    if searches and simulations is not None:
        options.setdefault("simulations", str(simulations))
    if searches and algorithm is not None:
        options.setdefault("search", algorithm)
    text = ",".join(f"{key}={value}" for key, value in options.items())
    path = _locate(runs, kind)
    try:
        loaded = load_player(f"{path}:{text}" if text else path, game)
    except InputError as error:
        raise InputError(str(error).replace(path, kind)) from error
    player = PagePlayer(name, loaded.game, loaded.player, tuple(loaded.warnings))
    _check_work(player)
    return player


def _split(name: str) -> tuple[str, dict[str, str]]:
    """Returns the player's kind, and its options as they are written."""
    kind, _, text = name.partition(":")
    entries = (entry.partition("=") for entry in filter(None, text.split(",")))
    return kind, {key: value for key, _, value in entries}


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


def _check_work(player: PagePlayer) -> None:
    """Raises InputError if a search would take too much time or memory."""
    most = min(MAX_SIMULATIONS, _MAX_TREE // player.game.num_actions)
    if player.search is not None and player.search.num_simulations > most:
        raise InputError(f"{player.name}: at most {most:,} simulations of {player.game.name}")
