"""Random games from start to end, on which the laws are checked."""

import dataclasses
import math
from typing import Any, TypeVar

import chex
import jax
import numpy as np

from azjax.games.game import Game, State
from azjax.games.laws.functions import View, batched
from azjax.games.laws.law import BrokenLawError, Law, broken

_FEWEST_GAMES = 4
# Moves x games x entries of an observation, a mask or a state, but for the fewest games.
_LARGEST = 2**24
_AFTER_END = 2  # actions tried once all games have ended

T = TypeVar("T")
Index = tuple[int, int]  # of a move, or of the state before it, and of a game


@dataclasses.dataclass(frozen=True)
class Playout:
    """B random games, of T actions: legal as long as a game lasts, anything afterwards."""

    game: Game
    states: State  # [T + 1, B, ...]
    views: View  # [T + 1, B, ...]
    actions: np.ndarray  # [T, B] int32

    @property
    def before(self) -> State:
        """The state before each action, [T, B, ...]."""
        return slice_of(self.states, slice(None, -1))

    @property
    def after(self) -> State:
        """The state after each action, [T, B, ...]."""
        return slice_of(self.states, slice(1, None))

    @property
    def lasts(self) -> np.ndarray:
        """bool[T, B]: whether the game lasts when the action is taken."""
        return ~self.before.terminated

    @property
    def is_reached(self) -> np.ndarray:
        """bool[T + 1, B]: whether legal play has reached the state, without going past an end."""
        first = np.ones((1, self.actions.shape[1]), bool)
        return np.concatenate([first, np.logical_and.accumulate(self.lasts)])

    def broken(self, law: Law, index: Index, found: str, right: str) -> BrokenLawError:
        """Returns the error of a law that the state of this index breaks."""
        return broken(self.game, law, found, right, slice_of(self.states, index))

    def broken_by_move(self, law: Law, index: Index, found: str, right: str) -> BrokenLawError:
        """Returns the error of a law that the move of this index breaks."""
        state = slice_of(self.states, index)
        return broken(self.game, law, found, right, state, self.actions[index])


def play_randomly(game: Game, num_games: int, seed: int) -> Playout:
    """Plays games to their ends, or to `max_moves`, and then a few actions more.

    Args:
      game: The game.
      num_games: B, the number of games, or `most_games` if that is less.
      seed: Of the starts and of the moves.
    """
    functions, generator = batched(game), np.random.default_rng(seed)
    keys = jax.random.split(jax.random.key(seed), min(num_games, most_games(game)))
    states = [functions.init(keys)]
    views = [functions.look(states[0])]
    actions: list[np.ndarray] = []
    num_after_end = 0
    while num_after_end < _AFTER_END:
        over = states[-1].terminated
        num_after_end += bool(over.all()) or len(actions) >= game.max_moves
        is_good = views[-1].mask & ~over[:, None]
        priorities = generator.random(is_good.shape) + is_good
        actions.append(priorities.argmax(axis=1).astype(np.int32))
        states.append(functions.step(states[-1], actions[-1]))
        views.append(functions.look(states[-1]))
    return Playout(game, _stack(states), _stack(views), np.stack(actions))


def most_games(game: Game) -> int:
    """Returns the number of games that do not take too much memory."""
    state = jax.tree.leaves(jax.eval_shape(game.init, jax.random.key(0)))
    of_state = sum(leaf.size for leaf in state)
    widest = max(game.num_actions, math.prod(game.observation_shape), of_state)
    return max(_FEWEST_GAMES, _LARGEST // (game.max_moves * widest))


def slice_of(tree: T, index: Any) -> T:
    """Returns the tree of all leaves at an index, which is anything that NumPy takes."""
    return jax.tree.map(lambda leaf: leaf[index], tree)


def first_breach(holds: np.ndarray) -> Index | None:
    """Returns the first index, by move and then by game, where a law of [T, B] does not hold."""
    breaches = np.argwhere(~np.asarray(holds))
    return (int(breaches[0][0]), int(breaches[0][1])) if len(breaches) else None


def equal_leaves(one: chex.ArrayTree, other: chex.ArrayTree, num_axes: int) -> np.ndarray:
    """Returns bool, of the first axes of all leaves: whether two batches of trees are equal."""
    equal = [
        (x == y).reshape(*x.shape[:num_axes], -1).all(axis=-1)
        for x, y in zip(jax.tree.leaves(one), jax.tree.leaves(other), strict=True)
    ]
    return np.all(equal, axis=0)


def _stack(trees: list[T]) -> T:
    return jax.tree.map(lambda *leaves: np.stack(leaves), *trees)
