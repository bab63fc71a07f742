"""Players by the names that visitors give: none leads to other files, programs or endless work."""

import dataclasses
import pathlib

from azjax.agents.agent import split_name
from azjax.agents.agent_file import shipped_agents
from azjax.agents.player_spec import MCTS_SIMULATIONS, built_in_players, load_player
from azjax.evaluation import HostPlayer, Player, search_config
from azjax.evaluation.players.player import SearchAct, SearchParameters
from azjax.games import Game
from azjax.page.plugins import require_plugins
from azjax.page.safe_paths import path_below
from azjax.search import Search
from azjax.support.errors import InputError

RUNS = "runs/"  # begins the names of agents in the folder of runs, whatever its path
MAX_SIMULATIONS = 10_000
_MAX_TREE = 4_000_000  # actions in all nodes of a tree, of some 40 bytes each


@dataclasses.dataclass(frozen=True, eq=False)
class PagePlayer:
    """A player of one game."""

    name: str  # in full
    game: Game
    player: Player | HostPlayer
    warnings: tuple[str, ...]

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


def full_name(name: str, simulations: int | None = None, algorithm: str | None = None) -> str:
    """Returns a player's name with all that is given of its search; an agent's own stays open.

    Args:
      name: A shipped agent, `runs/NAME`, `runs/NAME@ITERATION`, `runs/FILE.npz` or a built-in
        player, each with options or without, such as `mcts:simulations=1000`.
      simulations: Those of its search, unless the name gives them.
      algorithm: That of its search, unless the name gives it.

    Raises:
      InputError: The name gives seconds.
    """
    kind, options = _split(name)
    if "seconds" in options:
        raise InputError(f"{name}: the page counts simulations: leave out seconds")
    if _searches(kind):
        usual = MCTS_SIMULATIONS if kind == "mcts" else None
        if given := simulations or usual:  # else those of the agent's evaluations
            options.setdefault("simulations", str(given))
        if algorithm is not None:
            options.setdefault("search", algorithm)
    text = ",".join(f"{key}={value}" for key, value in sorted(options.items()))
    return f"{kind}:{text}" if text else kind


def takes_simulations(name: str) -> bool:
    """Tells whether a player searches, and its name leaves the number of simulations open."""
    kind, options = _split(name)
    return _searches(kind) and "simulations" not in options


def is_built_in(name: str) -> bool:
    """Tells whether a name is that of a built-in player: such a one plays any game."""
    return _split(name)[0] in built_in_players()


def load_page_player(runs: pathlib.Path, name: str, game: str | None = None) -> PagePlayer:
    """Loads a player.

    Args:
      runs: The folder of runs.
      name: As from `full_name`.
      game: The game; if not given, that of the agent.

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
    player = PagePlayer(name, loaded.game, loaded.player, tuple(loaded.warnings))
    _check_work(player)
    return player


def _searches(kind: str) -> bool:
    """Tells whether players of a kind search: mcts, and agents."""
    return kind == "mcts" or not is_built_in(kind)


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
