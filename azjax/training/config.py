"""The configuration of training: the sizes of the loop, and its components."""

import dataclasses
import functools
import math
from collections.abc import Callable
from typing import Annotated, Any, ClassVar

from azjax.networks import NetworkConfig
from azjax.search import Search
from azjax.support.component import Component
from azjax.support.component_registry import default_component
from azjax.support.ranges import Range
from azjax.support.validation import check_decay, check_multiple, check_size

_MAX_SIZE = 2**24


def _default(kind: str, name: str) -> Callable[[], Any]:
    return functools.partial(default_component, kind, name)


@dataclasses.dataclass(frozen=True)
class TrainConfig(Component):
    """Everything that determines an iteration; its numbers may be traced."""

    kind: ClassVar[str] = "train"

    game: str = "tic_tac_toe"
    """The game by its name, with sizes or without, as in hex:size=7."""
    num_games: int = 256
    """B, games played side by side."""
    num_moves: int = 16
    """T, moves played in each of them per iteration."""
    replay_moves: int = 256
    """C, the most recent moves of each of them that replay holds."""
    num_updates: int = 8
    """Gradient updates per iteration."""
    batch_size: int = 1024
    """Positions per gradient update."""
    symmetries: bool = True
    """Apply a random symmetry of the board to every sample; it changes nothing for an equivariant
    network."""
    deterministic: bool = False
    """Compile the iteration for a GPU without operations that differ from one time to the next, so
    that a resumed run repeats bit for bit; slower. On a CPU it does so anyway."""
    ema_decay: Annotated[float, Range(0.9, 0.999)] = 0.99
    """Decay per update of the EMA of the network's variables. It is the agent, and plays where
    search plays both sides; with 0 the newest variables do."""
    network: NetworkConfig = dataclasses.field(default_factory=_default("network", "resnet"))
    """The network."""
    search: Search = dataclasses.field(default_factory=_default("search", "gumbel"))
    """The search of self-play."""
    algorithm: Component = dataclasses.field(default_factory=_default("algorithm", "alphazero"))
    """The learning algorithm."""
    optimizer: Component = dataclasses.field(default_factory=_default("optimizer", "adamw"))
    """The optimizer, and the schedule of its learning rate."""
    parts: tuple[Component, ...] = dataclasses.field(
        default_factory=lambda: (default_component("part", "random_starts"),)
    )
    """Optional techniques; where several fill a hook, the first named is innermost."""

    def check(self) -> None:
        """Raises ValueError if a size is out of range or two sizes do not fit together."""
        for field in ("num_games", "num_moves", "replay_moves", "num_updates", "batch_size"):
            check_size(field, getattr(self, field), 1, _MAX_SIZE)
        check_multiple("replay_moves", self.replay_moves, "num_moves", self.num_moves)
        check_decay("ema_decay", self.ema_decay)

    @property
    def num_groups(self) -> int:
        """The number of groups of games; each gives the same number of samples to every batch."""
        return math.gcd(self.num_games, self.batch_size)

    @property
    def group_size(self) -> int:
        """The number of games in a group."""
        return self.num_games // self.num_groups

    @property
    def positions_per_iteration(self) -> int:
        """Positions that self-play generates in an iteration."""
        return self.num_games * self.num_moves

    @property
    def replay_ratio(self) -> float:
        """Samples trained on per position generated."""
        return self.num_updates * self.batch_size / self.positions_per_iteration

    def most_devices(self, num_available: int, num_processes: int = 1) -> int:
        """Returns the largest number of devices that the games can be sharded over.

        Raises:
          ValueError: The processes, which have as many devices each, cannot share them equally.
        """
        numbers = range(num_processes, num_available + 1, num_processes)
        fitting = [number for number in numbers if self.num_groups % number == 0]
        if not fitting:
            raise ValueError(
                f"num_games={self.num_games} and batch_size={self.batch_size}: "
                f"{num_processes} processes must divide both"
            )
        return fitting[-1]

    def check_devices(self, num_devices: int) -> None:
        """Raises ValueError if the games cannot be sharded over that many devices."""
        if self.num_groups % num_devices:
            raise ValueError(
                f"devices={num_devices}: must divide num_games={self.num_games} and "
                f"batch_size={self.batch_size}"
            )
