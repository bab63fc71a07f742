"""Exact solutions of small games: all reachable positions, with the value of every move."""

import functools
import itertools
import math
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from azjax.games import Game, State, batch_of_one, rows_as_bytes

ILLEGAL = -2  # action value; wins, draws and losses are 1, 0 and -1
_CHUNK = 2048  # positions expanded per call: one shape, so one compilation
_LARGEST = 50_000  # positions: seconds of work
_STARTS = 64  # games whose initial positions are compared


class Solution(NamedTuple):
    """All N reachable positions, the initial one first; values from the mover's view.

    Move counts are left out: a game that neither side can force to end is a draw.
    """

    states: State  # [N, ...] numpy arrays
    children: np.ndarray  # [N, A] int32, the position after an action; -1 where it is illegal
    value: np.ndarray  # [N] int8
    rounds: np.ndarray  # [N] int32, moves to the end of a game that is won or lost by force, else 0
    action_values: np.ndarray  # [N, A] int8, ILLEGAL where the action is


def is_solvable(game: Game) -> bool:
    """Tells whether `solve` takes the game: it takes seconds, and all games start alike."""
    return why_unsolved(game) is None


def why_unsolved(game: Game) -> str | None:
    """Returns why `solve` does not take a game, or None if it does."""
    if game.max_positions > _LARGEST:
        is_known = math.isfinite(game.max_positions)
        most = f"up to {game.max_positions:,.3g}" if is_known else "an unknown number of"
        return (
            f"{game.name} is too large to be solved: it has {most} positions, and azjax solves "
            f"games of up to {_LARGEST:,}"
        )
    if not _has_one_start(game):
        return f"{game.name} is not solved, as its games start from different positions"
    return None


@functools.cache
def _has_one_start(game: Game) -> bool:
    starts = jax.jit(jax.vmap(game.init))(jax.random.split(jax.random.key(0), _STARTS))
    return len(set(rows_as_bytes(starts))) == 1


@functools.cache
def solve(game: Game) -> Solution:
    """Solves a game; results are cached.

    Raises:
      ValueError: The game is too large, or its initial position depends on the key.
    """
    if reason := why_unsolved(game):
        raise ValueError(reason)
    states, children = _enumerate(game)
    value, rounds = iterate_values(states, children)
    return Solution(states, children, value, rounds, _action_values(states, children, value))


def find_position(solution: Solution, game: Game, state: State) -> int:
    """Returns a position's index; raises ValueError if no play from the start reaches it."""
    is_same = np.ones(len(solution.value), bool)
    leaves = jax.tree.leaves(game.without_move_count(state))
    for all_, one in zip(jax.tree.leaves(solution.states), leaves, strict=True):
        is_same &= (all_ == np.asarray(one)).reshape(len(all_), -1).all(axis=1)
    if not is_same.any():
        raise ValueError(f"no play of {game.name} from its start reaches this position")
    return int(is_same.argmax())


def keeps_value(action_values: np.ndarray) -> np.ndarray:
    """Returns bool[..., A]: the actions of the highest value."""
    return action_values == action_values.max(axis=-1, keepdims=True)


def plays_best(solution: Solution) -> np.ndarray:
    """Returns bool[N, A]: the actions that exact play may choose.

    They keep the value. Where positions can recur, a won game could go on forever by such actions:
    of those that win, the ones that shorten the game are left.
    """
    is_best = keeps_value(solution.action_values)
    if is_acyclic(solution.children):
        return is_best
    shortens = solution.rounds[solution.children] < solution.rounds[:, None]
    return is_best & (shortens | (solution.value != 1)[:, None])


def mark_chosen(game: Game, actions: np.ndarray) -> np.ndarray:
    """Returns bool[N, A]: the actions that a player chooses in each position of the solution.

    They are [P] or [S, P], samples of its move in each position of `all_positions`.
    """
    is_unfinished = ~solve(game).states.terminated
    chosen = np.zeros((len(is_unfinished), game.num_actions), bool)
    chosen[np.flatnonzero(is_unfinished), np.atleast_2d(actions)] = True
    return chosen


def _enumerate(game: Game) -> tuple[State, np.ndarray]:
    """Returns the positions in breadth-first order, and their children."""

    @jax.jit
    @jax.vmap
    def expand(state):
        after = jax.vmap(game.step, in_axes=(None, 0))(state, jnp.arange(game.num_actions))
        return jax.vmap(game.without_move_count)(after), game.legal_action_mask(state)

    start = batch_of_one(game.init(jax.random.key(0)))
    index = {rows_as_bytes(start)[0]: 0}
    layers, children, frontier = [start], [], start
    while len(jax.tree.leaves(frontier)[0]):
        after, legal = _in_chunks(expand, frontier)
        after = jax.tree.map(lambda x: x.reshape(-1, *x.shape[2:]), after)
        keys, is_new = rows_as_bytes(after), np.zeros(legal.size, bool)
        for i in np.flatnonzero(legal):
            is_new[i] = keys[i] not in index
            index.setdefault(keys[i], len(index))
        layer_children = [index[keys[i]] if legal.flat[i] else -1 for i in range(legal.size)]
        children.append(np.array(layer_children, np.int32).reshape(legal.shape))
        frontier = jax.tree.map(lambda x, new=is_new: x[new], after)
        layers.append(frontier)
    return jax.tree.map(lambda *x: np.concatenate(x), *layers), np.concatenate(children)


def _in_chunks(function, batch):
    """Applies a jitted function to a batch of any size, in chunks of one shape."""
    size, results = len(jax.tree.leaves(batch)[0]), []
    for begin in range(0, size, _CHUNK):
        indices = np.arange(begin, begin + _CHUNK) % size  # the last chunk is filled up
        results.append(function(jax.tree.map(lambda x, i=indices: x[i], batch)))
    return jax.tree.map(lambda *x: np.concatenate(x)[:size], *results)


def iterate_values(states: State, children: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Returns the fixed point of value iteration that starts with draws everywhere.

    The values after k rounds hold for play that is a draw after k moves, so a position that
    neither side can force to an end stays a draw.

    Args:
      states: [N, ...], as in `Solution`.
      children: [N, A], -1 for actions that are illegal, or that the mover does not play.

    Returns:
      The values, [N] int8, and the round after which each is not 0, [N] int32; else 0.
    """
    mover = states.current_player.astype(int)
    result = np.take_along_axis(states.rewards, mover[:, None], 1)[:, 0].astype(np.int8)
    value = np.where(states.terminated, result, 0).astype(np.int8)
    rounds = np.zeros(len(value), np.int32)
    for number in itertools.count(1):
        best = _action_values(states, children, value).max(axis=1)
        improved = np.where(states.terminated, value, best)
        if (improved == value).all():
            break
        rounds[improved != value] = number
        value = improved
    return value, rounds


def is_acyclic(children: np.ndarray) -> bool:
    """Tells whether no position can recur, given the children [N, A]."""
    remains = np.ones(len(children), bool)  # not yet shown to be off all cycles
    while True:
        has_successor = (remains[children] & (children >= 0)).any(axis=1)
        if (has_successor == remains).all():
            return not remains.any()
        remains = has_successor


def _action_values(states: State, children: np.ndarray, value: np.ndarray) -> np.ndarray:
    same_mover = states.current_player[children] == states.current_player[:, None]
    child_value = np.where(same_mover, value[children], -value[children])
    return np.where(children >= 0, child_value, ILLEGAL).astype(np.int8)
