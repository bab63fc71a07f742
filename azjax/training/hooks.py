"""The hooks of an iteration: what a learning algorithm, its optimizer and its parts fill.

A hook is a method. Several parts share one by its rule: *wrap*, each gets the `inner` one, the
first named is innermost; *chain*, each maps what the one before it returns; *union*, results are
joined by name. A hook that no part overrides leaves the iteration as it is.
"""

import dataclasses
from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

import chex
import optax

from azjax.games import Game, State
from azjax.networks import Head, Network, Outputs, Variables, check_equivariance, make_network
from azjax.search import Search, SearchResult
from azjax.support import prng
from azjax.support.component import Component
from azjax.training.config import TrainConfig
from azjax.training.learning.symmetries import board_symmetries
from azjax.training.state import (
    Games,
    Learner,
    Move,
    Opponent,
    PlayProgress,
    Positions,
    Replay,
    Searched,
    TrainState,
    Trajectory,
)


@dataclasses.dataclass(frozen=True)
class TrainContext:
    """What the phases of an iteration share; its numbers may be traced."""

    config: TrainConfig
    game: Game
    network: Network
    axis_name: str | None = None  # the mapped axis over devices, if there is one

    @property
    def algorithm(self) -> "Algorithm":
        """The learning algorithm."""
        assert isinstance(self.config.algorithm, Algorithm)
        return self.config.algorithm

    @property
    def optimizer(self) -> "Optimizer":
        """The optimizer."""
        assert isinstance(self.config.optimizer, Optimizer)
        return self.config.optimizer

    def parts(self, hook: str | None = None) -> tuple["Part", ...]:
        """Returns the parts that fill a hook, or all of them, in the order of the configuration."""
        return list_parts(self.config, hook)


class Ply(NamedTuple):
    """What parts know of a ply that is to be searched."""

    progress: chex.Numeric  # [], the share of the run's length that is done, from 0 to 1
    key: chex.PRNGKey  # equal on all devices, so that none waits for another
    run: Callable[[Search], Searched]  # searches the ply's positions, by no part


# The hooks of the phases, which not every algorithm calls.
_PHASE_HOOKS = (
    "start",
    "search",
    "act",
    "record_move",
    "record_search",
    "reanalyse",
    "weights",
    "bootstrap_weights",
    "policy_target",
    "heads",
    "loss",
    "learned",
)
# Those of algorithms whose search plays both sides.
SELF_PLAY_HOOKS = frozenset({*_PHASE_HOOKS, "keeps_best"}) - {"heads", "loss"}
HEAD_HOOKS = frozenset({"heads", "loss"})


@dataclasses.dataclass(frozen=True)
class Part(Component):
    """An optional technique of training; an agent plays without it.

    A part overrides the hooks that it fills. `state` is what `init` made of its own, or None.

    Attributes:
      games_axis: The axis of B in the arrays of its state, which are then laid out over devices by
        games; None where the state is the same on all devices.
      keeps_best: Whether a network plays until another one beats it.
      weighs_policy: Whether moves differ in the weight of their policy targets.
    """

    kind: ClassVar[str] = "part"
    games_axis: ClassVar[int | None] = None
    keeps_best: ClassVar[bool] = False
    weighs_policy: ClassVar[bool] = False

    @classmethod
    def fills(cls, hook: str) -> bool:
        """Tells whether the part overrides a hook."""
        return getattr(cls, hook) is not getattr(Part, hook)

    def check_fit(self, config: TrainConfig, game: Game) -> None:
        """Raises ValueError where the part does not fit the rest; begins with a dotted name."""

    def init(self, context: TrainContext) -> Any:
        """Returns the part's own state at the start of a run, a pytree, or None."""
        del context

    # Self-play.

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
        self,
        context: TrainContext,
        keys: chex.PRNGKey,
        legal: chex.Array,
        inner: Callable[[], chex.Array],
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

        Those not yet written have weight 0. Means are taken by group, see `replay/groups.py`.
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
        del game
        return ()

    def prepare_targets(self, context: TrainContext, replay: Replay) -> Any:
        """Returns arrays [C, B, ...] that `sample_target` reads, once in an iteration."""
        del context, replay

    def sample_target(
        self, context: TrainContext, replay: Replay, prepared: Any, positions: Positions
    ) -> Any:
        """Returns the part's target, a pytree [S, ...]; `prepared` is [S, ...] of its own."""
        del context, replay, prepared, positions

    def permute_target(self, target: Any, cells: chex.Array, actions: chex.Array) -> Any:
        """Returns the target, each sample transformed by a symmetry: cells [S, H * W], actions."""
        del cells, actions
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


class Losses(NamedTuple):
    """Means over a batch."""

    loss: chex.Array  # []
    policy_loss: chex.Array  # [] cross-entropy, nats; in REINFORCE times the advantage
    value_loss: chex.Array  # [] squared error of the expected result, whatever the value head
    extra: dict[str, chex.Array]  # [] by the column of the metrics, of the algorithm alone


@dataclasses.dataclass(frozen=True)
class Algorithm(Component):
    """A learning algorithm: what it plays, what its targets are, and what its loss is.

    Attributes:
      hooks: The hooks of parts that its phases call; a part that fills another is refused.
      has_rounds: Whether the session of a run updates the opponent, round by round.
      learns_from_games: Whether replay holds recorded games from the start, and nothing else.
      improves_an_agent: Whether a run must begin from an agent's network.
      records_search: Whether its moves are chosen by search, so that replay holds its records.
    """

    kind: ClassVar[str] = "algorithm"
    hooks: ClassVar[frozenset[str]] = frozenset()
    has_rounds: ClassVar[bool] = False
    learns_from_games: ClassVar[bool] = False
    improves_an_agent: ClassVar[bool] = False
    records_search: ClassVar[bool] = False

    def check_fit(self, config: TrainConfig) -> None:
        """Raises ValueError where the rest of a configuration does not fit the algorithm."""

    def make_network(self, config: TrainConfig, game: Game) -> Network:
        """Returns the network; raises ValueError where it does not fit the game."""
        heads = list_heads(config, game)
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
        self, params: dict[str, Any], batch_stats: dict[str, Any], context: TrainContext, batch: Any
    ) -> tuple[chex.Array, tuple[Losses, dict[str, Any]]]:
        """Returns the loss, and as auxiliary output all losses and the new batch statistics."""
        raise NotImplementedError

    def extra_metrics(self, config: TrainConfig) -> tuple[str, ...]:
        """Returns the keys of `Losses.extra`."""
        del config
        return ()

    def init_opponent(self, context: TrainContext, variables: Variables) -> Opponent | None:
        """Returns the networks that do not learn, given those that a run begins from, or None."""
        del context, variables
        return None

    def update_opponent(self, context: TrainContext, state: TrainState) -> Opponent | None:
        """Returns them for the next iteration, given the state after an iteration."""
        del context
        return state.opponent


@dataclasses.dataclass(frozen=True)
class Optimizer(Component):
    """An optimizer, and the schedule of its learning rate over a run.

    Attributes:
      is_elementwise: Whether it treats each parameter by itself, but for the norm of the gradient:
        then equal parameters of an equivariant network stay equal. Else they are tied again.
    """

    kind: ClassVar[str] = "optimizer"
    is_elementwise: ClassVar[bool] = False

    def rate(self, progress: chex.Numeric) -> chex.Array:
        """Returns [] the learning rate, given the share of the run's length that is done."""
        raise NotImplementedError

    def transformation(
        self, params: dict[str, Any], rate: chex.Numeric
    ) -> optax.GradientTransformation:
        """Returns the transformation of gradients like `params`, at a learning rate."""
        raise NotImplementedError


def hook_names(part: type[Part]) -> list[str]:
    """Returns the hooks of the phases that a part fills."""
    gating = ["keeps_best"] if part.keeps_best else []
    return [hook for hook in _PHASE_HOOKS if part.fills(hook)] + gating


def list_parts(config: TrainConfig, hook: str | None = None) -> tuple[Part, ...]:
    """Returns the parts of a configuration that fill a hook, or all of them, in its order."""
    parts = (part for part in config.parts if isinstance(part, Part))
    return tuple(part for part in parts if hook is None or part.fills(hook))


def list_heads(config: TrainConfig, game: Game) -> tuple[Head, ...]:
    """Returns the auxiliary heads of a configuration's parts."""
    return tuple(head for part in list_parts(config) for head in part.heads(game))


def merge_records(context: TrainContext, hook: str, *arguments: Any) -> dict[str, Any]:
    """Returns the records of all parts that fill a hook, by name.

    Raises:
      ValueError: Two parts record something under the same name.
    """
    merged: dict[str, Any] = {}
    for part in context.parts(hook):
        records = getattr(part, hook)(context, *arguments)
        for name in merged.keys() & records.keys():
            raise ValueError(f"part {part.name}: {name!r} is recorded by another part already")
        merged |= records
    return merged


def part_key(key: chex.PRNGKey, part: Part) -> chex.PRNGKey:
    """Returns a part's own key, or keys [B]."""
    return prng.named_key(key, f"part {part.name}")
