"""The games and the players that a visitor can choose from."""

import functools
import pathlib
from typing import NamedTuple

from azjax import games
from azjax.agents.agent_file import SUFFIX, read_agent_file, shipped_agents
from azjax.evaluation import is_solvable
from azjax.games import Game
from azjax.page.analysis.exact import has_solver
from azjax.page.analysis.players import RUNS
from azjax.page.runs_folder import list_runs
from azjax.support.errors import InputError

_MOST_FILES = 256  # whose games are remembered


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
    return [*_shipped(), *own]


@functools.cache
def _shipped() -> tuple[Agent, ...]:
    files = shipped_agents().items()
    return tuple(Agent(name, _game_of_file(path), "shipped") for name, path in files)


def list_players(game: Game, agents: list[Agent]) -> list[str]:
    """Returns the names of the players of a game, agents first."""
    own = [agent.name for agent in agents if agent.game == game.name]
    exact = ["truth"] if is_solvable(game) else ["perfect"] if has_solver(game) else []
    return [*own, "mcts:simulations=200", "tactical", "random", *exact]


def list_games() -> list[str]:
    """Returns the names of the games, those of Pgx if it is installed."""
    return [*games.names(), *(games.pgx_names() if games.has_pgx() else [])]


def _game_of_file(path: pathlib.Path) -> str:
    return _read_game(path, path.stat().st_mtime_ns)


@functools.lru_cache(_MOST_FILES)
def _read_game(path: pathlib.Path, changed: int) -> str:
    """Returns the game of an agent's file, read again when it has changed: all of it is checked."""
    del changed
    return read_agent_file(path).config.train.game
