"""The options of commands in which players play."""

import dataclasses
import pathlib
from typing import Annotated

import tyro

from azjax.agents.engine_player import EngineSettings
from azjax.agents.player_spec import NamedPlayer, load_player
from azjax.support.validation import check_seed


@dataclasses.dataclass(frozen=True, kw_only=True)
class PlayerOptions:
    """The options of a command in which one player plays."""

    player: Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="PLAYER")]
    """The player: a run's FOLDER, FOLDER@best or FOLDER@ITERATION, a FILE.npz of `azjax export`,
    an agent that comes with azjax, such as connect_four, or random, tactical, minimax, mcts. Some
    take options, as in connect_four:search=puct and mcts:simulations=500; see `azjax evaluate`."""
    game: str | None = None
    """The game, such as connect_four:rows=5,columns=6; the agent's if not given."""
    simulations: int | None = None
    """The simulations of the player's search, unless its name gives them. If not given, as many as
    in an agent's evaluations, and 200 for mcts."""
    seconds: float | None = None
    """The seconds of each of the player's moves, instead of simulations."""

    def load(self) -> NamedPlayer:
        """Returns the player."""
        return load_player(self.player, self.game, self.simulations, self.seconds)


@dataclasses.dataclass(frozen=True, kw_only=True)
class MatchOptions:
    """The options of a command in which several players play matches."""

    game: str | None = None
    """The game; the one that the runs play if not given."""
    simulations: int | None = None
    """The simulations of a run's search, unless its name gives them; if not given, as many as
    in its evaluations."""
    seed: int = 0
    """The seed of all games."""
    engines: Annotated[EngineSettings, tyro.conf.arg(name="")] = dataclasses.field(
        default_factory=EngineSettings
    )
    sgf: pathlib.Path | None = None
    """A folder for the games as SGF files: Go, Othello, Gomoku and Hex."""

    def __post_init__(self):
        """Raises ValueError if the seed is out of range."""
        check_seed(self.seed)
