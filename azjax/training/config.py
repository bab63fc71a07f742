"""The configuration of training: static sizes, and hyperparameters that may be traced."""

import dataclasses
import math
from typing import Annotated, NamedTuple

from azjax.networks import NetworkConfig
from azjax.search import SearchConfig, SearchHyperparameters
from azjax.support.flag_marks import NameOf
from azjax.support.ranges import Range
from azjax.support.validation import check_even, check_multiple, check_share, check_size

_MAX_SIZE = 2**24


@dataclasses.dataclass(frozen=True)
class TrainConfig:
    """Everything that determines the compiled iteration; static under `jit`."""

    game: str = "tic_tac_toe"
    """The game by its name, with sizes or without, as in hex:size=7."""
    network: NetworkConfig = dataclasses.field(default_factory=NetworkConfig)
    """The network."""
    search: SearchConfig = dataclasses.field(default_factory=SearchConfig)
    """The search of self-play."""
    algorithm: Annotated[str, NameOf("algorithm")] = "alphazero"
    """The learning algorithm: alphazero; muzero, which searches over a model that it learns;
    policy_gradient, whose policy plays against search; AlphaGo's stages supervised_policy,
    reinforced_policy and policy_value; or the name of a registered one."""
    initial_simulations: int = 0
    """Simulations of that search at the start of a run; they double in equal shares of the run's
    length, and end as search.num_simulations. With 0 they are these from the start."""
    fast_simulations: int = 0
    """Simulations of a fast search, which plays most moves and gives no policy target (playout cap
    randomization, Wu 2019); with 0 every search is full."""
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
    growing_window: bool = False
    """Sample only the newest moves of replay, a window that grows with the moves made as KataGo's
    does (Wu 2019); without, all moves of replay."""
    surprise_sampling: bool = False
    """Sample a position the more often, the more its search has changed the network's policy, as
    KataGo's policy surprise weighting does; without, all positions alike."""
    weighted_traces: bool = False
    """Weigh the outcome after a move by the move's share of the search's policy over that of the
    likeliest move, as off-policy learning weighs its traces (Watkins 1989; Munos et al. 2016). The
    rest of the weight is that of the search's value, so a sampled error does not lower the values
    of the positions before it. In long games with a broad policy the outcome is soon forgotten."""
    symmetries: bool = True
    """Apply a random symmetry of the board to every sample; it changes nothing for an equivariant
    network."""
    deterministic: bool = False
    """Compile the iteration for a GPU without operations that differ from one time to the next, so
    that a resumed run repeats bit for bit; slower. On a CPU it does so anyway."""
    reanalyse_fraction: float = 0.0
    """Share of replay that is searched again in every iteration, by the newest network, so that its
    policies and values are renewed (MuZero Reanalyse, Schrittwieser et al. 2021). Values are
    learnt where `search_value_weight` is above 0."""
    unroll_steps: int = 5
    """K, steps of the learnt model that a sample trains, of MuZero."""
    rounds: int = 5
    """Rounds of a policy gradient, each against a stronger search with a copy of the policy."""
    pool_size: int = 8
    """Networks of its past that a reinforced policy plays against."""
    pool_interval: int = 10
    """Iterations after which the newest network replaces the oldest in that pool."""
    gating_games: int = 0
    """Games in which a new network must score above 55% against the best one so far to replace it
    in self-play, as in AlphaGo Zero; with 0 the newest network always plays."""

    def __post_init__(self):
        """Raises ValueError if a size is out of range or two sizes do not fit together."""
        for field in ("num_games", "num_moves", "replay_moves", "num_updates", "batch_size"):
            check_size(field, getattr(self, field), 1, _MAX_SIZE)
        for field in ("initial_simulations", "fast_simulations"):
            check_size(field, getattr(self, field), 0, self.search.num_simulations)
        if self.first_simulations << (self.num_search_stages - 1) != self.search.num_simulations:
            raise ValueError(
                f"initial_simulations={self.initial_simulations}: must be "
                f"search.num_simulations={self.search.num_simulations} divided by a power of 2"
            )
        check_even("gating_games", self.gating_games, 0)
        check_size("gating_games", self.gating_games, 0, _MAX_SIZE)
        check_multiple("replay_moves", self.replay_moves, "num_moves", self.num_moves)
        self._check_reanalyse()
        if self.surprise_sampling and self.search.sampled_actions:
            raise ValueError(
                "surprise_sampling=True: must be False with search.sampled_actions, whose search "
                "does not know the whole prior"
            )
        for field in ("unroll_steps", "rounds", "pool_size", "pool_interval"):
            check_size(field, getattr(self, field), 1, _MAX_SIZE)

    def _check_reanalyse(self) -> None:
        check_share("reanalyse_fraction", self.reanalyse_fraction)
        rows = self.num_reanalysed_moves
        if not math.isclose(rows, self.reanalyse_fraction * self.replay_moves) or (
            rows and self.replay_moves % rows
        ):
            raise ValueError(
                f"reanalyse_fraction={self.reanalyse_fraction}: must be 1 divided by a divisor of "
                f"replay_moves={self.replay_moves}, or 0"
            )
        if rows and self.fast_simulations:
            raise ValueError(
                f"fast_simulations={self.fast_simulations}: must be 0 under reanalyse_fraction, as "
                "a move that was searched fast has no policy target to renew"
            )
        if rows and self.weighted_traces:
            raise ValueError(
                "weighted_traces=True: must be False under reanalyse_fraction, which does not "
                "renew the weights"
            )
        if rows and self.growing_window:
            raise ValueError(
                "growing_window=True: must be False under reanalyse_fraction, which would search "
                "rows outside the window"
            )
        if rows and "action_values" in self.network.auxiliary_heads:
            raise ValueError(
                "network.auxiliary_heads: must be without action_values under reanalyse_fraction, "
                "which does not renew their targets"
            )

    @property
    def num_groups(self) -> int:
        """The number of groups of games; each gives the same number of samples to every batch."""
        return math.gcd(self.num_games, self.batch_size)

    @property
    def first_simulations(self) -> int:
        """Simulations of a full search at the start of a run."""
        return self.initial_simulations or self.search.num_simulations

    @property
    def num_search_stages(self) -> int:
        """The number of full searches, each with twice the simulations of the one before it."""
        return (self.search.num_simulations // self.first_simulations).bit_length()

    @property
    def num_reanalysed_moves(self) -> int:
        """The rows of replay that are searched again in an iteration."""
        return round(self.reanalyse_fraction * self.replay_moves)

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


class Hyperparameters(NamedTuple):
    """The hyperparameters of a run: floats outside `jit`, traced scalars inside.

    A sweep samples a field from its `Range`; fields without one are not swept.
    """

    search: SearchHyperparameters = SearchHyperparameters()
    """Hyperparameters of the search."""
    random_start_fraction: Annotated[float, Range(0.25, 1.0)] = 0.8
    """Share of the games that start from a position reached by random legal moves."""
    random_start_moves: Annotated[float, Range(2.0, 40.0, log=True)] = 8.0
    """Most random moves at such a start; their number is uniform from 1 to it, at most the length
    of the longest game."""
    temperature: Annotated[float, Range(0.3, 2.0, log=True)] = 1.0
    """Early moves are sampled from the action weights to the power of 1 / temperature."""
    temperature_moves: Annotated[float, Range(1.0, 30.0, log=True)] = 8.0
    """Number of early moves, from the start position of a game."""
    random_move_fraction: float = 0.0
    """Share of the moves that are legal moves at random, so that games leave the lines that the
    policy is sure of."""
    full_search_share: float = 0.25
    """Share of the moves that are searched in full, where there is a fast search."""
    search_value_weight: Annotated[float, Range(0.0, 1.0)] = 0.0
    """Value target: 1 - lambda of the lambda-returns that bootstrap from the search's values; 0
    gives the game's outcome, 1 the search's value."""
    window_min_moves: float = 32.0
    """Growing window: c, the moves of each game up to which it holds all, below `replay_moves`."""
    window_growth: float = 0.4
    """Growing window: beta, by how much it grows per move at c moves."""
    window_exponent: float = 0.75
    """Growing window: alpha; in the long run the window grows as moves^alpha."""
    surprise_weight: float = 0.5
    """Surprise sampling: share of the samples that are in proportion to the surprise; 0
    samples uniformly."""
    result_discount: Annotated[float, Range(0.8, 1.0)] = 0.95
    """Policy gradients: discount of a game's result per move of the policy."""
    entropy_weight: Annotated[float, Range(1e-3, 0.1, log=True)] = 0.03
    """Policy gradients: weight of the policy's entropy, which keeps it from being sure too soon."""
    first_prior_weight: Annotated[float, Range(0.1, 0.95)] = 0.5
    """Policy gradient: `search.prior_weight` of the first round; it rises in equal steps."""
    value_loss_weight: Annotated[float, Range(0.25, 4.0, log=True)] = 1.0
    """Weight of the value loss relative to the policy loss."""
    reply_loss_weight: Annotated[float, Range(0.05, 0.5, log=True)] = 0.15
    """Weight of the loss of the auxiliary head reply; 0.15 in KataGo."""
    action_values_loss_weight: Annotated[float, Range(0.25, 5.0, log=True)] = 1.0
    """Weight of the loss of the auxiliary head action_values; up to 5 in AlphaZeroArcade."""
    ownership_loss_weight: Annotated[float, Range(0.1, 4.0, log=True)] = 1.0
    """Weight of the loss of the auxiliary head ownership, squared errors in (-1, 1); in KataGo 1.5
    of the cross-entropy, which is about this."""
    consistency_loss_weight: Annotated[float, Range(0.5, 5.0, log=True)] = 2.0
    """Weight of the loss of the auxiliary head consistency, minus a cosine; 2 in EfficientZero."""
    learning_rate: Annotated[float, Range(3e-4, 3e-2, log=True)] = 1e-3
    """AdamW: the highest learning rate."""
    warmup_share: float = 0.03
    """Share of the run's length over which the learning rate rises to the highest; then it falls by
    a cosine until the end of the run."""
    final_learning_rate: float = 0.1
    """Learning rate at the start and at the end of a run, as a share of the highest."""
    weight_decay: Annotated[float, Range(1e-4, 1.0, log=True)] = 1e-4
    """AdamW: weight decay of the kernels, scaled by the learning rate."""
    max_gradient_norm: float = 1.0
    """Gradients are clipped to this global norm."""
    average_decay: Annotated[float, Range(0.9, 0.999)] = 0.99
    """Decay per update of the EMA of the network's variables. It is the agent, and plays where
    search plays both sides; with 0 the newest variables do."""
