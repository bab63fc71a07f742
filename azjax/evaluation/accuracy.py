"""Accuracy against truth: in how many positions a player's move keeps the best value."""

from collections.abc import Callable
from typing import Any, NamedTuple

import chex
import jax
import numpy as np
from jax.sharding import NamedSharding, PartitionSpec

from azjax.devices import make_mesh, spread_over_devices
from azjax.evaluation.players import Player
from azjax.evaluation.solve import solve
from azjax.evaluation.truth import Truth
from azjax.games import Game


class Lines(NamedTuple):
    """Every line of play that an opponent can choose against a player in one seat."""

    lost: int
    total: int


def compile_choice(player: Player, num_devices: int = 1) -> Callable[[Any, Any], chex.Array]:
    """Returns `choose(parameters, states [P]) -> actions [P]`, jitted over that many devices."""
    mesh = make_mesh(num_devices)
    spread = spread_over_devices(player.act, mesh)

    def choose(parameters, states):
        size = len(jax.tree.leaves(states)[0])
        padding = -size % num_devices
        padded = jax.tree.map(lambda x: np.resize(x, (size + padding, *x.shape[1:])), states)
        keys = jax.random.split(jax.random.key(0), size + padding)
        replicated = jax.device_put(parameters, NamedSharding(mesh, PartitionSpec()))
        return np.asarray(spread(replicated, keys, padded))[:size]

    return choose


def share_correct(truth: Truth, actions: np.ndarray) -> float:
    """Returns the share of the positions in which the action keeps the best value."""
    return float(truth.is_best[np.arange(len(actions)), actions].mean())


def count_lines(game: Game, actions: np.ndarray) -> tuple[Lines, Lines]:
    """Plays every line that an opponent can choose, and counts those that the player loses.

    Args:
      game: A game that `solve` solves, without cycles.
      actions: [P], the player's move in each position of `solved_truth(game)`.

    Returns:
      The lines with the player in seat 0, and in seat 1.
    """
    solution = solve(game)
    chosen = np.zeros(len(solution.value), int)
    chosen[~solution.states.terminated] = actions
    return _count_lines(game, solution, chosen, 0), _count_lines(game, solution, chosen, 1)


def _count_lines(game, solution, chosen, seat):
    """Counts by the recursion over positions: the lines below one are those below its children."""
    terminated = solution.states.terminated
    lost = terminated & (solution.states.rewards[:, seat] < 0)
    replies = solution.children >= 0
    own_turn = solution.states.current_player == seat
    only_chosen = np.arange(game.num_actions)[None, :] == chosen[:, None]
    replies = replies & (only_chosen | ~own_turn[:, None])
    counts = np.stack([lost, terminated]).astype(np.int64)
    for _ in range(game.max_moves):
        below = np.where(replies, counts[:, solution.children], 0).sum(axis=-1)
        counts = np.where(terminated, counts, below)
    return Lines(lost=int(counts[0, 0]), total=int(counts[1, 0]))
