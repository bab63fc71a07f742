"""Helpers of the tests of training: one tiny run, compiled once, and its states and metrics."""

import dataclasses
import functools
from typing import Any, NamedTuple

import jax
import numpy as np

from azjax.networks import MLPConfig
from azjax.search import Gumbel, Policy, PolicyRollouts
from azjax.support.component import Component, structure
from azjax.training import (
    AdamW,
    AlphaZero,
    Metrics,
    PolicyGradient,
    PolicyValue,
    RandomStarts,
    ReinforcedPolicy,
    SupervisedPolicy,
    TrainConfig,
    TrainState,
    init_train_state,
    make_context,
    train_iteration,
)

# Groups of two games, so that games within a group are sampled too.
CONFIG = TrainConfig(
    game="tic_tac_toe",
    network=MLPConfig(channels=16, blocks=1),
    search=Gumbel(num_simulations=8),
    algorithm=AlphaZero(temperature_moves=3.0),
    optimizer=AdamW(learning_rate=1e-2, warmup_share=0.0),
    parts=(RandomStarts(moves=5.0),),
    num_games=16,
    num_moves=4,
    replay_moves=16,
    num_updates=8,
    batch_size=40,
)
PROGRESS = np.float32(0.0)
CONTEXT = make_context(CONFIG)
GAME, NETWORK = CONTEXT.game, CONTEXT.network
POLICY = MLPConfig(channels=16, blocks=1, value_head="none")

# Algorithms without a search by the network; most games end within an iteration.
OF_POLICY = dataclasses.replace(
    CONFIG,
    network=POLICY,
    optimizer=AdamW(learning_rate=0.01),
    parts=(RandomStarts(fraction=0.5, moves=1.0),),
    num_moves=8,
    replay_moves=8,
    num_updates=4,
    batch_size=32,
)
POLICY_GRADIENT = dataclasses.replace(
    OF_POLICY, algorithm=PolicyGradient(), search=PolicyRollouts(num_simulations=10)
)
REINFORCED = dataclasses.replace(
    OF_POLICY, algorithm=ReinforcedPolicy(result_discount=1.0, pool_size=3, pool_interval=2)
)
SUPERVISED = dataclasses.replace(
    OF_POLICY, algorithm=SupervisedPolicy(), parts=(), replay="games.txt"
)
VALUE = dataclasses.replace(
    OF_POLICY, network=CONFIG.network, search=Policy(), algorithm=PolicyValue(), replay_moves=32
)


class Run(NamedTuple):
    """States before and after each of some iterations, and the metrics of each, in NumPy."""

    states: list[TrainState]
    metrics: list[Metrics]


def change(config: TrainConfig, **changes: Any) -> TrainConfig:
    """Returns the configuration with other values; a dict changes fields of a component.

    Args:
      config: The configuration.
      **changes: By field of `TrainConfig`; under `optimizer`, `search`, ... or the name of one of
        the parts, a dict.
    """
    parts = tuple(dataclasses.replace(part, **changes.pop(part.name, {})) for part in config.parts)
    config = dataclasses.replace(config, parts=parts)
    for name, value in changes.items():
        if isinstance(value, dict):
            changes[name] = dataclasses.replace(getattr(config, name), **value)
    return dataclasses.replace(config, **changes)


def with_parts(config: TrainConfig, *parts: Component) -> TrainConfig:
    """Returns the configuration with more parts."""
    return dataclasses.replace(config, parts=config.parts + parts)


def as_float32(numbers: Any) -> Any:
    return jax.tree.map(np.float32, numbers)


class Compiled(NamedTuple):
    """The functions of configurations of one structure."""

    init: Any  # (configuration, key) -> the first state
    iterate: Any  # (configuration, state, progress) -> the next state, and metrics
    traced: list  # the types of the arguments of `iterate`, each time that it is traced


def compiled(config: TrainConfig) -> Compiled:
    return _compiled(structure(config))


@functools.cache
def _compiled(options: Any) -> Compiled:
    traced = []

    def iterate(*arguments):
        traced.append(jax.tree.map(jax.typeof, arguments))
        assert jax.tree.structure(arguments[0]) == options
        return train_iteration(*arguments)

    return Compiled(jax.jit(init_train_state), jax.jit(iterate), traced)


def train(config: TrainConfig, num_iterations: int, seed: int = 0) -> Run:
    init, iterate, _ = compiled(config)
    numbers = as_float32(config)
    states, metrics = [jax.device_get(init(numbers, jax.random.key(seed)))], []
    for _ in range(num_iterations):
        state, found = jax.device_get(iterate(numbers, states[-1], PROGRESS))
        states.append(state)
        metrics.append(found)
    return Run(states, metrics)


def start(config: TrainConfig = CONFIG, seed: int = 0) -> TrainState:
    return compiled(config).init(as_float32(config), jax.random.key(seed))


def iterate(
    config: TrainConfig, state: TrainState, progress: float = PROGRESS
) -> tuple[TrainState, Metrics]:
    return compiled(config).iterate(as_float32(config), state, np.float32(progress))


@functools.cache
def run(num_iterations: int, seed: int = 0, config: TrainConfig = CONFIG) -> Run:
    return train(config, num_iterations, seed)


def without_key(state: TrainState) -> TrainState:
    return state._replace(key=jax.random.key_data(state.key))


def in_order(replay: Any) -> Any:
    """Returns the trajectory's rows that are written, oldest first."""
    num_rows = len(replay.trajectory.reward)
    order = (np.arange(num_rows) + replay.num_written) % num_rows
    order = order[max(0, num_rows - int(replay.num_written)) :]
    return jax.tree.map(lambda x: x[order], replay.trajectory)


def legal_at(states: Any) -> np.ndarray:
    """Returns [..., 9]: the legal actions of unfinished states of tic-tac-toe."""
    return states.board.reshape(*states.board.shape[:-2], 9) == -1


def stones(states: Any) -> np.ndarray:
    return (states.board != -1).sum(axis=(-2, -1))
