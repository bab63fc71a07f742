"""What a training run is: the sizes that fix its shapes, and the numbers that may be traced."""

import dataclasses
import math
from typing import Annotated, NamedTuple

from azjax.networks import NetworkConfig
from azjax.search import SearchConfig, SearchHyperparameters
from azjax.support.ranges import Range


@dataclasses.dataclass(frozen=True)
class TrainConfig:
    """Everything that changes the compiled iteration; static under `jit`."""

    game: str = "tic_tac_toe"
    """The game, by its registered name."""
    network: NetworkConfig = dataclasses.field(default_factory=NetworkConfig)
    """The network that learns."""
    search: SearchConfig = dataclasses.field(default_factory=SearchConfig)
    """The search that plays."""
    num_games: int = 256
    """B, games played side by side."""
    num_moves: int = 16
    """T, moves played in each of them per iteration."""
    replay_moves: int = 256
    """C, moves of each of them that replay holds; the oldest are forgotten."""
    num_updates: int = 8
    """Gradient updates per iteration."""
    batch_size: int = 1024
    """Positions per gradient update."""
    symmetries: bool = True
    """See every sample through a random symmetry of the board; an equivariant network learns the
    same either way."""
    gating_games: int = 0
    """Games in which a new network must score above 55% against the best one so far before it
    plays in its place, as in AlphaGo Zero; 0 lets the newest play."""

    def __post_init__(self):
        """Raises ValueError where a size is out of range or two sizes do not fit together."""
        for field in ("num_games", "num_moves", "replay_moves", "num_updates", "batch_size"):
            if getattr(self, field) < 1:
                raise ValueError(f"{field}={getattr(self, field)}: must be at least 1")
        if self.gating_games < 0 or self.gating_games % 2:
            raise ValueError(f"gating_games={self.gating_games}: must be an even number, or 0")
        if self.replay_moves % self.num_moves:
            raise ValueError(
                f"replay_moves={self.replay_moves}: must be a multiple of "
                f"num_moves={self.num_moves}"
            )

    @property
    def num_groups(self) -> int:
        """The groups of games, each of which gives the same number of samples to every batch."""
        return math.gcd(self.num_games, self.batch_size)

    @property
    def positions_per_iteration(self) -> int:
        """Positions that self-play makes in an iteration."""
        return self.num_games * self.num_moves

    @property
    def replay_ratio(self) -> float:
        """How often a position is trained on, on average."""
        return self.num_updates * self.batch_size / self.positions_per_iteration

    def most_devices(self, there: int) -> int:
        """Returns over how many of the devices there are the games can be laid."""
        return max(n for n in range(1, there + 1) if self.num_groups % n == 0)

    def check_devices(self, num_devices: int) -> None:
        """Raises ValueError where the games cannot be laid over that many devices."""
        if self.num_groups % num_devices:
            raise ValueError(
                f"devices={num_devices}: must divide num_games={self.num_games} and "
                f"batch_size={self.batch_size}"
            )


class Hyperparameters(NamedTuple):
    """The numbers of a run: floats outside `jit`, traced scalars inside.

    A `Range` is what a sweep draws the number from; the others stay as they are.
    """

    search: SearchHyperparameters = SearchHyperparameters()
    """The search's own."""
    random_start_fraction: Annotated[float, Range(0.25, 1.0)] = 0.8
    """Share of the games that start from a position reached by random legal moves."""
    random_start_moves: Annotated[float, Range(2.0, 40.0, log=True)] = 8.0
    """Most of such moves; their number is uniform from 1 up to it, or to the longest game's."""
    temperature: Annotated[float, Range(0.3, 2.0, log=True)] = 1.0
    """Early moves are drawn from the action weights to the power of 1 / temperature."""
    temperature_moves: Annotated[float, Range(1.0, 30.0, log=True)] = 8.0
    """How many moves of a game, from where it starts, are early."""
    search_value_weight: Annotated[float, Range(0.0, 1.0)] = 0.0
    """Value target: at each move the search's value counts so much against what follows, as in
    TD(lambda) with lambda = 1 - weight: 0 is the game's outcome, 1 the search's value."""
    value_loss_weight: Annotated[float, Range(0.25, 4.0, log=True)] = 1.0
    """Weight of the value's loss against the policy's."""
    learning_rate: Annotated[float, Range(3e-4, 3e-2, log=True)] = 1e-3
    """AdamW: the highest learning rate."""
    warmup_updates: float = 100.0
    """Updates over which the learning rate rises to it."""
    decay_updates: Annotated[float, Range(300.0, 30000.0, log=True)] = 10000.0
    """Updates over which the learning rate then falls, along a cosine."""
    final_learning_rate: float = 0.1
    """What it falls to, as a share of the highest."""
    weight_decay: Annotated[float, Range(1e-4, 1.0, log=True)] = 1e-4
    """AdamW: decay of the kernels, times the learning rate at each update."""
    max_gradient_norm: float = 1.0
    """Gradients of a larger global norm are scaled down to it."""
    average_decay: Annotated[float, Range(0.9, 0.999)] = 0.99
    """Decay per update of the average of parameters that plays; 0 plays the newest."""
