"""The options of a benchmark."""

import dataclasses
import functools
import pathlib
from typing import Literal

from azjax import games
from azjax.config.presets import find_preset
from azjax.config.run_config import RunConfig
from azjax.networks import Precision, ResNetConfig
from azjax.support.component import get_component
from azjax.support.validation import check_at_least
from azjax.training import TrainConfig

_WITH_PRESET = ("preset", "repeats")


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
    preset: str | None = None
    """Time a preset or a FILE.toml with its own sizes and learning algorithm; of the other options
    only --repeats goes with it."""

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
        for field in dataclasses.fields(self) if self.preset else ():
            if field.name not in _WITH_PRESET and getattr(self, field.name) != field.default:
                raise ValueError(f"{field.name}: does not go with --preset; leave one of them out")
        self.train.check_devices(1)
        if self.train.replay is not None:
            raise ValueError(f"preset={self.preset}: must be one with self-play, without replay")

    def sizes(self) -> dict[str, str | int]:
        """Returns the options that a peer has, too; with a preset, those that it amounts to."""
        train = self.train
        return {
            "game": train.game,
            "games": train.num_games,
            "moves": train.num_moves,
            "simulations": train.search.num_simulations,
            "channels": train.network.channels,
            "blocks": getattr(train.network, "blocks", 0),
            "batch": train.batch_size,
            "search": train.search.name or "",
            "repeats": self.repeats,
        }

    def flags(self) -> list[str]:
        """Returns `sizes` as command-line flags."""
        return [text for name, value in self.sizes().items() for text in (f"--{name}", str(value))]

    @functools.cached_property
    def run(self) -> RunConfig:
        """The configuration that is timed: a preset, or one of these sizes.

        Without a preset every position is trained on about once.
        """
        if self.preset is not None:
            return find_preset(self.preset).config
        search = get_component("search", self.search)()
        train = TrainConfig(
            game=self.game,
            network=ResNetConfig(
                channels=self.channels, blocks=self.blocks, precision=self.precision
            ),
            search=dataclasses.replace(search, num_simulations=self.simulations),
            num_games=self.games,
            num_moves=self.moves,
            replay_moves=self.moves,
            num_updates=max(1, self.games * self.moves // self.batch),
            batch_size=self.batch,
        )
        return RunConfig(train)

    @property
    def train(self) -> TrainConfig:
        """The sizes and the algorithm of `run`."""
        return self.run.train
