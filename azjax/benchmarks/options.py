"""What is timed, and against whom."""

import dataclasses
import pathlib
from typing import Literal

from azjax import games
from azjax.networks import NetworkConfig, Precision
from azjax.search import SearchConfig
from azjax.training import TrainConfig

_SIZES = (
    "game",
    "games",
    "moves",
    "simulations",
    "channels",
    "blocks",
    "batch",
    "search",
    "repeats",
)


@dataclasses.dataclass(frozen=True)
class BenchmarkOptions:
    """Time self-play, a gradient update, the bare network and the whole compiled loop.

    The last line is JSON. Times are the best of the repeats, without compiling.
    """

    game: str = "connect_four"
    """The game, by its registered name."""
    games: int = 256
    """Games played side by side."""
    moves: int = 8
    """Moves played in each of them per call."""
    simulations: int = 32
    """Simulations per move."""
    channels: int = 64
    """Channels of the residual network."""
    blocks: int = 5
    """Residual blocks of it."""
    batch: int = 1024
    """Positions per gradient update."""
    search: Literal["gumbel", "puct", "uct"] = "gumbel"
    """The search that plays."""
    repeats: int = 3
    """Times that each phase is timed."""
    precision: Precision = "auto"
    """Of azjax's products; a peer has its own."""
    against: str | None = None
    """A peer, pgx, or a script that takes the same options and prints the same keys: both are run
    in turn, each time in a new process, and the ratios printed."""
    pairs: int = 3
    """How often both are run."""
    profile: pathlib.Path | None = None
    """Tell where the time goes, and write a trace of an iteration into this folder."""

    def __post_init__(self):
        """Raises ValueError where a number is out of range, or the trace has no folder to go to."""
        games.make(self.game)
        for field in ("games", "moves", "simulations", "batch", "repeats", "pairs"):
            if getattr(self, field) < 1:
                raise ValueError(f"{field}={getattr(self, field)}: must be at least 1")
        if self.against and self.profile:
            raise ValueError("profile: tells of azjax alone; leave out --against")
        if self.profile and self.profile.exists() and not self.profile.is_dir():
            raise ValueError(f"profile={self.profile}: is a file; give a folder")
        self.train.check_devices(1)

    def sizes(self) -> dict[str, str | int]:
        """Returns what is timed: the options that a peer has too."""
        return {name: getattr(self, name) for name in _SIZES}

    def flags(self) -> list[str]:
        """Returns the same as command-line flags."""
        return [text for name, value in self.sizes().items() for text in (f"--{name}", str(value))]

    @property
    def train(self) -> TrainConfig:
        """The loop that is timed: every position is trained on about once."""
        return TrainConfig(
            game=self.game,
            network=NetworkConfig("resnet", self.channels, self.blocks, precision=self.precision),
            search=SearchConfig(self.search, self.simulations),
            num_games=self.games,
            num_moves=self.moves,
            replay_moves=self.moves,
            num_updates=max(1, self.games * self.moves // self.batch),
            batch_size=self.batch,
        )
