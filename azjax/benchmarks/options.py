"""The options of a benchmark."""

import dataclasses
import pathlib
from typing import Literal

from azjax import games
from azjax.networks import NetworkConfig, Precision
from azjax.search import SearchConfig
from azjax.support.validation import check_at_least
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
    """Time self-play, a gradient update, the network alone and the whole compiled loop.

    The last line of the output is JSON. Times are the best of the repeats, without compilation.
    """

    game: str = "connect_four"
    """The game by its name, with sizes or without, as in hex:size=7."""
    games: int = 256
    """Games played in parallel."""
    moves: int = 8
    """Moves played in each game per call."""
    simulations: int = 32
    """Simulations per move."""
    channels: int = 64
    """Channels of the residual network."""
    blocks: int = 5
    """Residual blocks of the network."""
    batch: int = 1024
    """Positions per gradient update."""
    search: Literal["gumbel", "puct", "uct"] = "gumbel"
    """The search algorithm of self-play."""
    repeats: int = 3
    """Times that each phase is timed."""
    precision: Precision = "auto"
    """Precision of azjax's network; with --against it runs in bfloat16 and in float32."""
    against: str | None = None
    """A peer to compare with: pgx, or a script that takes the same options and prints the same
    keys. The peer runs on the number of devices that is best for it. The peer and azjax run in
    turn, each time in a new process; the output is their medians and ratios."""
    rounds: int = 3
    """How often azjax and the peer run."""
    profile: pathlib.Path | None = None
    """Print the time of an iteration by parts, and write a profiler trace to this folder."""

    def __post_init__(self):
        """Raises ValueError if a number is out of range, or the trace cannot be written."""
        games.make(self.game)
        for field in ("games", "moves", "simulations", "batch", "repeats", "rounds"):
            check_at_least(field, getattr(self, field), 1)
        if self.against and self.profile:
            raise ValueError("profile: is of azjax alone; leave out --against")
        if self.against and self.precision != "auto":
            raise ValueError("precision: --against compares both precisions; leave it out")
        if self.profile and self.profile.exists() and not self.profile.is_dir():
            raise ValueError(f"profile={self.profile}: is a file; give a folder")
        self.train.check_devices(1)

    def sizes(self) -> dict[str, str | int]:
        """Returns the options that a peer has, too."""
        return {name: getattr(self, name) for name in _SIZES}

    def flags(self) -> list[str]:
        """Returns `sizes` as command-line flags."""
        return [text for name, value in self.sizes().items() for text in (f"--{name}", str(value))]

    @property
    def train(self) -> TrainConfig:
        """The configuration that is timed: every position is trained on about once."""
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
