"""What a learning algorithm is: what it records, what its targets are, and what its loss is."""

import dataclasses
from collections.abc import Callable
from typing import Any, NamedTuple

import chex
import jax
import jax.numpy as jnp

from azjax.games import Game
from azjax.networks import Network, Variables
from azjax.training.algorithms.options import HYPERPARAMETERS
from azjax.training.config import Hyperparameters, TrainConfig
from azjax.training.state import (
    FrozenNetworks,
    Games,
    Move,
    PlayProgress,
    Positions,
    Replay,
    TrainState,
    Trajectory,
)


@dataclasses.dataclass(frozen=True)
class TrainContext:
    """What is fixed while a program of training is compiled; hashable, static under `jit`."""

    config: TrainConfig
    game: Game
    network: Network
    algorithm: "Algorithm"
    axis_name: str | None = None  # the mapped axis over devices, if there is one


class Losses(NamedTuple):
    """Means over a batch."""

    loss: chex.Array  # []
    policy_loss: chex.Array  # [] cross-entropy, nats; in REINFORCE times the advantage
    value_loss: chex.Array  # [] squared error of the expected result, whatever the value head
    extra: dict[str, chex.Array]  # [] by the column of the metrics, of the algorithm alone


def losses_structure(extra: tuple[str, ...]) -> jax.tree_util.PyTreeDef:
    """Returns the structure of `Losses` as a pytree, for the keys of `extra`."""
    return jax.tree.structure(Losses(0.0, 0.0, 0.0, dict.fromkeys(extra, 0.0)))


def freeze_one(context: TrainContext, variables: Variables) -> FrozenNetworks:
    """Returns one frozen network, which was not renewed yet: what `Algorithm.freeze` may be."""
    del context
    return FrozenNetworks(variables, jnp.int32(0))


@dataclasses.dataclass(frozen=True)
class Algorithm:
    """A learning algorithm as pure functions, in the order in which an iteration calls them.

    Attributes:
      options: The fields of TrainConfig that it has, of those that not all algorithms have, such as
        `gating_games` and `network.value_head`.
      check: (config) -> None; raises ValueError where its options do not fit together.
      make_network: (config, game) -> the network; raises ValueError where it does not fit the game.
      play: (context, hyperparameters, state, key, budget share) -> the games after T moves in each,
        the trajectory [T, B, ...], and what the metrics report of it.
      record: (context, `Move` [B]) -> what replay holds of a move beside the search's results, a
        dict of arrays [B, ...], or None.
      empty_record: (context, shape) -> the same, zeros [*shape, ...].
      compute_targets: (context, hyperparameters, replay) -> targets [C, B, ...], anew in each
        iteration.
      make_batch: (context, replay, targets, `Positions` [S]) -> a batch, arrays [S, ...], each
        position transformed by its symmetry of the board.
      loss: (params, batch statistics, context, batch, hyperparameters) -> the loss, and as
        auxiliary output `Losses` and the new batch statistics.
      extra_metrics: (config) -> the keys of `Losses.extra`.
      hyperparameters: The fields of Hyperparameters that it has, of those that not all algorithms
        have, such as `temperature`; all of them if not given.
      freeze: (context, variables) -> the networks that do not learn, given those that a run begins
        from; None without any.
      renew: (context, state after an iteration) -> the frozen networks for the next one.
      has_rounds: Whether the session of a run renews the frozen network, round by round.
      learns_from_games: Whether replay holds recorded games from the start, and nothing else.
      improves_an_agent: Whether a run must begin from an agent's network.
    """

    options: tuple[str, ...]
    check: Callable[[TrainConfig], None]
    make_network: Callable[[TrainConfig, Game], Network]
    play: Callable[..., tuple[Games, Trajectory, PlayProgress]]
    record: Callable[[TrainContext, Move], dict[str, Any] | None]
    empty_record: Callable[[TrainContext, tuple[int, int]], dict[str, Any] | None]
    compute_targets: Callable[[TrainContext, Hyperparameters, Replay], Any]
    make_batch: Callable[[TrainContext, Replay, Any, Positions], Any]
    loss: Callable[..., tuple[chex.Array, tuple[Losses, dict[str, Any]]]]
    extra_metrics: Callable[[TrainConfig], tuple[str, ...]]
    hyperparameters: tuple[str, ...] = HYPERPARAMETERS
    freeze: Callable[[TrainContext, Variables], FrozenNetworks] | None = None
    renew: Callable[[TrainContext, TrainState], FrozenNetworks] | None = None
    has_rounds: bool = False
    learns_from_games: bool = False
    improves_an_agent: bool = False
