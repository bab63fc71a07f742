"""Helpers of the tests of training: one tiny run, compiled once, and its states and metrics."""

import functools
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from azjax.networks import NetworkConfig
from azjax.search import SearchConfig
from azjax.training import (
    Hyperparameters,
    Metrics,
    TrainConfig,
    TrainState,
    init_train_state,
    make_context,
    train_iteration,
)

# Groups of two games, so that games within a group are sampled too.
CONFIG = TrainConfig(
    game="tic_tac_toe",
    network=NetworkConfig(architecture="mlp", channels=16, blocks=1),
    search=SearchConfig(num_simulations=8),
    num_games=16,
    num_moves=4,
    replay_moves=16,
    num_updates=8,
    batch_size=40,
)
HYPERPARAMETERS = Hyperparameters(
    random_start_moves=5.0, temperature_moves=3.0, learning_rate=1e-2, warmup_share=0.0
)
SHARE = np.float32(0.0)  # of the budget
CONTEXT = make_context(CONFIG)
GAME, NETWORK = CONTEXT.game, CONTEXT.network


class Run(NamedTuple):
    """States before and after each of some iterations, and the metrics of each, in NumPy."""

    states: list[TrainState]
    metrics: list[Metrics]


def as_float32(numbers: Any) -> Any:
    return jax.tree.map(np.float32, numbers)


class Compiled(NamedTuple):
    """The functions of a configuration."""

    init: Any  # (hyperparameters, key) -> the first state
    iterate: Any  # (hyperparameters, state, budget share) -> the next state, and metrics
    traced: list  # the types of the arguments of `iterate`, each time that it is traced


@functools.cache
def compiled(config: TrainConfig) -> Compiled:
    traced = []

    def iterate(*arguments):
        traced.append(jax.tree.map(jax.typeof, arguments))
        return train_iteration(config, *arguments)

    return Compiled(jax.jit(functools.partial(init_train_state, config)), jax.jit(iterate), traced)


def train(
    config: TrainConfig, hyperparameters: Hyperparameters, num_iterations: int, seed: int = 0
) -> Run:
    init, iterate, _ = compiled(config)
    numbers = as_float32(hyperparameters)
    states, metrics = [jax.device_get(init(numbers, jax.random.key(seed)))], []
    for _ in range(num_iterations):
        state, found = jax.device_get(iterate(numbers, states[-1], SHARE))
        states.append(state)
        metrics.append(found)
    return Run(states, metrics)


def start(hyperparameters: Hyperparameters = HYPERPARAMETERS, seed: int = 0) -> TrainState:
    return compiled(CONFIG).init(as_float32(hyperparameters), jax.random.key(seed))


def iterate(
    hyperparameters: Hyperparameters, state: TrainState, budget_share: float = SHARE
) -> tuple[TrainState, Metrics]:
    return compiled(CONFIG).iterate(as_float32(hyperparameters), state, np.float32(budget_share))


@functools.cache
def run(num_iterations: int, seed: int = 0, **changes: float) -> Run:
    return train(CONFIG, HYPERPARAMETERS._replace(**changes), num_iterations, seed)


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


def to_jax(tree: Any) -> Any:
    return jax.tree.map(jnp.asarray, tree)
