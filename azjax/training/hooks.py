"""The configuration of an iteration, and the hooks that its algorithm and its parts fill.

A hook is a method. Several parts share one by its rule: *wrap*, each gets the `inner` one, the
first named is innermost; *chain*, each maps what the one before it returns; *union*, results are
joined by name. A hook that no part overrides leaves the iteration as it is.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence
from typing import Annotated, Any, ClassVar, NamedTuple

import chex

from azjax.games import Game, State
from azjax.networks import (
    Head,
    Network,
    NetworkConfig,
    Outputs,
    Variables,
    check_equivariance,
    make_network,
)
from azjax.search import Search, SearchResult
from azjax.support import prng
from azjax.support.component import Component, get_component
from azjax.support.ranges import Range
from azjax.support.validation import check_decay, check_multiple, check_size
from azjax.training.optimizer import Optimizer
from azjax.training.state import (
    Games,
    Learner,
    Losses,
    Move,
    Opponent,
    PlayProgress,
    Positions,
    Replay,
    Searched,
    TrainState,
    Trajectory,
)
from azjax.training.symmetries import board_symmetries

_MAX_SIZE = 2**24

# The hooks of parts that algorithms may call in their phases; `Algorithm.hooks` names its own.
_PLAY_HOOKS = ("start", "search", "act", "record_move", "record_search", "init_best")
_LEARN_HOOKS = ("reanalyse", "weights", "bootstrap_weights", "policy_target", "learned")
SELF_PLAY_HOOKS = (*_PLAY_HOOKS, *_LEARN_HOOKS)  # of algorithms whose search plays both sides
HEAD_HOOKS = ("heads", "loss")


Act = Callable[[], chex.Array]  # the actions [B] to play


class GatingMatch(NamedTuple):
    """A match of the EMA network against another one, both without noise."""

    search: Search | None  # of the EMA network; None plays its policy alone
    opponent: Variables
    opponent_search: Search
    num_games: int  # even
    prefers_exact_play: bool = False  # as the opponent, where the game can be solved


class Ply(NamedTuple):
    """What parts know of a ply that is to be searched."""

    progress: chex.Numeric  # [], the share of the run's length that is done, from 0 to 1
    key: chex.PRNGKey  # equal on all devices, so that none waits for another
    run: Callable[[Search], Searched]  # searches the ply's positions, by no part


@dataclasses.dataclass(frozen=True)
class Hooks(Component):
    """The hooks of parts and of algorithms alike."""

    @classmethod
    def fills(cls, hook: str) -> bool:
        """Tells whether a class overrides a hook of its kind."""
        kind = next(base for base in cls.__mro__ if "kind" in vars(base))
        return getattr(cls, hook) is not getattr(kind, hook)

    def match(self, context: TrainContext, state: TrainState) -> GatingMatch:
        """Returns the match that the EMA network must win to be promoted.

        The session of a run plays it, at its evaluations; one component may ask for it.
        """
        raise NotImplementedError

    def promote(self, state: TrainState, variables: Variables) -> TrainState:
        """Returns the state after a match that is won; `variables` is a copy of the EMA's. Pure."""
        raise NotImplementedError


@dataclasses.dataclass(frozen=True)
class Part(Hooks):
    """An optional technique of training; an agent plays without it.

    A part overrides the hooks that it fills. `state` is what `init` made of its own, or None.

    Attributes:
      games_axis: The axis of B in the arrays of its state, which are then laid out over devices by
        games; None where the state is the same on all devices.
      weighs_policy: Whether moves differ in the weight of their policy targets.
    """

    kind: ClassVar[str] = "part"
    games_axis: ClassVar[int | None] = None
    weighs_policy: ClassVar[bool] = False

    def check_fit(self, config: TrainConfig, game: Game) -> None:
        """Raises ValueError where the part does not fit the rest; begins with a dotted name."""

    def init(self, context: TrainContext) -> Any:
        """Returns the part's own state at the start of a run, a pytree, or None."""

    # Self-play.

    def init_best(self, learner: Learner) -> Variables:
        """Returns the network that plays at first, until another one is promoted."""
        raise NotImplementedError

    def start(
        self, context: TrainContext, state: Any, keys: chex.PRNGKey, inner: Callable[[], State]
    ) -> State:
        """Returns the states [B] in which new games begin, none finished; keys [B]. Wrap."""
        raise NotImplementedError

    def search(
        self, context: TrainContext, ply: Ply, inner: Callable[[Search], Searched], config: Search
    ) -> Searched:
        """Searches a ply by `config` or by a search made of it. Wrap."""
        raise NotImplementedError

    def act(
        self, context: TrainContext, keys: chex.PRNGKey, legal: chex.Array, inner: Act
    ) -> chex.Array:
        """Returns the actions [B] to play; keys [B], legal bool[B, A]. Wrap."""
        raise NotImplementedError

    def record_move(self, context: TrainContext, move: Move) -> dict[str, chex.Array]:
        """Returns arrays [B, ...] by name that replay holds of a move. Union."""
        raise NotImplementedError

    def record_search(self, context: TrainContext, result: SearchResult) -> dict[str, Any]:
        """Returns arrays [B, ...] by name of a search, which reanalysing replaces. Union."""
        raise NotImplementedError

    def reanalyse(
        self, context: TrainContext, state: TrainState, replay: Replay, progress: chex.Numeric
    ) -> Replay:
        """Returns the replay [C, B, ...] with some rows searched again. Chain."""
        raise NotImplementedError

    # Learning.

    def weights(
        self, context: TrainContext, state: Any, replay: Replay, weights: chex.Array
    ) -> chex.Array:
        """Returns [C, B] float32: the weights of positions in sampling, from those before. Chain.

        Those not yet written have weight 0. Means are taken by group, see `sampling.py`.
        """
        raise NotImplementedError

    def bootstrap_weights(
        self, context: TrainContext, moves: Trajectory, weights: chex.Numeric
    ) -> chex.Numeric:
        """Returns [] or [C, B]: 1 - lambda of the lambda-returns at each move. Chain."""
        raise NotImplementedError

    def policy_target(
        self,
        context: TrainContext,
        moves: Trajectory,
        rows: chex.Array,
        games: chex.Array,
        policy: chex.Array,
    ) -> chex.Array:
        """Returns [..., A]: the policy targets of positions at rows and games [...]. Chain."""
        raise NotImplementedError

    def heads(self, game: Game) -> tuple[Head, ...]:
        """Returns the auxiliary heads whose outputs the part learns. Union."""
        return ()

    def prepare_targets(self, context: TrainContext, replay: Replay) -> Any:
        """Returns arrays [C, B, ...] that `sample_target` reads, once in an iteration."""

    def sample_target(
        self, context: TrainContext, replay: Replay, prepared: Any, positions: Positions
    ) -> Any:
        """Returns the part's target, a pytree [S, ...]; `prepared` is [S, ...] of its own."""

    def permute_target(self, target: Any, cells: chex.Array, actions: chex.Array) -> Any:
        """Returns the target, each sample transformed by a symmetry: cells [S, H * W], actions."""
        return target

    def loss(self, outputs: Outputs, target: Any) -> chex.Array:
        """Returns the loss [S] of each sample; the mean times the field `weight` counts. Sum."""
        raise NotImplementedError

    def learned(
        self, context: TrainContext, state: Any, learner: Learner, positions: Positions, batch: Any
    ) -> Any:
        """Returns the part's state after an update on a batch of positions [S]."""
        raise NotImplementedError

    def after(self, context: TrainContext, state: Any, next_state: TrainState) -> Any:
        """Returns the part's state after an iteration, given the run's."""
        raise NotImplementedError


@dataclasses.dataclass(frozen=True)
class Algorithm(Hooks):
    """A learning algorithm: what it plays, what its targets are, and what its loss is.

    Attributes:
      hooks: The hooks of parts that its phases call; a part that fills another is refused. Where
        `record_search` is one, replay holds what its search records.
      improves_an_agent: Whether a run must begin from an agent's network.
    """

    kind: ClassVar[str] = "algorithm"
    hooks: ClassVar[Sequence[str]] = ()
    improves_an_agent: ClassVar[bool] = False

    def check_fit(self, config: TrainConfig) -> None:
        """Raises ValueError where the rest of a configuration does not fit the algorithm."""

    def require(self, holds: object, field: str, value: Any, needed: str, reason: str = "") -> None:
        """Raises ValueError unless another field holds what the algorithm needs."""
        if not holds:
            of = f"for algorithm {self.name}{', ' * bool(reason)}{reason}"
            raise ValueError(f"{field}={value!r}: must be {needed} {of}")

    def heads(self, game: Game) -> tuple[Head, ...]:
        """Returns the auxiliary heads of the algorithm's own."""
        return ()

    def make_network(self, config: TrainConfig, game: Game) -> Network:
        """Returns the network; raises ValueError where it does not fit the game."""
        heads = *self.heads(game), *(head for part in config.parts for head in part.heads(game))
        network = make_network(config.network, game.observation_shape, game.num_actions, heads)
        check_equivariance(network, board_symmetries(game))
        return network

    def play(
        self, context: TrainContext, state: TrainState, key: chex.PRNGKey, progress: chex.Numeric
    ) -> tuple[Games, Trajectory, PlayProgress]:
        """Returns the games after T moves in each, these moves [T, B, ...], and what is reported.

        The key is the same on every device.
        """
        raise NotImplementedError

    def compute_targets(self, context: TrainContext, replay: Replay) -> Any:
        """Returns targets [C, B, ...], anew in each iteration."""
        raise NotImplementedError

    def make_batch(
        self, context: TrainContext, replay: Replay, targets: Any, positions: Positions
    ) -> Any:
        """Returns a batch, arrays [S, ...], each position transformed by its symmetry."""
        raise NotImplementedError

    def loss(
        self, context: TrainContext, variables: Variables, batch: Any
    ) -> tuple[Losses, dict[str, Any]]:
        """Returns the losses, the first of which is minimized, and the new batch statistics."""
        raise NotImplementedError

    @property
    def num_rounds(self) -> int:
        """The rounds, each ended by a promotion, after which a run is done; 0 if there are none."""
        return 0

    def init_opponent(self, context: TrainContext, variables: Variables) -> Opponent | None:
        """Returns the networks that do not learn, given those that a run begins from, or None."""
        return None

    def update_opponent(self, context: TrainContext, state: TrainState) -> Opponent | None:
        """Returns them for the next iteration, given the state after an iteration."""
        return state.opponent


def _default(kind: str, name: str) -> Callable[[], Any]:
    return lambda: get_component(kind, name)()


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
    replay: str | None = None
    """A file to learn from in place of self-play: a FILE.npz of `azjax export RUN --games`, or for
    a policy without values a text file with a line of moves for each game."""
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
    algorithm: Algorithm = dataclasses.field(default_factory=_default("algorithm", "alphazero"))
    """The learning algorithm."""
    optimizer: Optimizer = dataclasses.field(default_factory=_default("optimizer", "adamw"))
    """The optimizer, and the schedule of its learning rate."""
    parts: tuple[Part, ...] = dataclasses.field(
        default_factory=lambda: (get_component("part", "random_starts")(),)
    )
    """Optional techniques; where several fill a hook, the first named is innermost."""

    def check(self) -> None:
        """Raises ValueError if a size is out of range or two sizes do not fit together."""
        for field in ("num_games", "num_moves", "replay_moves", "num_updates", "batch_size"):
            check_size(field, getattr(self, field), 1, _MAX_SIZE)
        check_multiple("replay_moves", self.replay_moves, "num_moves", self.num_moves)
        check_decay("ema_decay", self.ema_decay)

    @property
    def gates(self) -> list[Hooks]:
        """The component whose match decides which network plays next, if there is one."""
        return [x for x in (self.algorithm, *self.parts) if x.fills("match")]

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

        Processes have as many devices each; ValueError says that they cannot share the games.
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


@dataclasses.dataclass(frozen=True)
class TrainContext:
    """What the phases of an iteration share; its numbers may be traced."""

    config: TrainConfig
    game: Game
    network: Network
    axis_name: str | None = None  # the mapped axis over devices, if there is one

    def parts(self, hook: str) -> tuple[Part, ...]:
        """Returns the parts that fill a hook, in the order of the configuration."""
        return tuple(part for part in self.config.parts if part.fills(hook))


def part_key(key: chex.PRNGKey, part: Part) -> chex.PRNGKey:
    """Returns a part's own key, or keys [B]."""
    return prng.named_key(key, f"part {part.name}")
