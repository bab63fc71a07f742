"""Random games from start to end, on which the laws are checked."""

import dataclasses
import functools
import math
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import chex
import jax
import numpy as np

from azjax.games.compiled_methods import uncompiled
from azjax.games.game import Game, State
from azjax.games.laws.law import Law, Text, calling, require
from azjax.support.program_cache import cache_programs

PURE = "a pure function in jax.numpy: no `if` on arrays, and no array kept from call to call"
RESULT = "current_player", "terminated", "rewards"  # the fields of all states
VIEWS = "legal_action_mask", "observe", "without_move_count"  # the fields of a `View`
_FEWEST_GAMES = 4
# Moves x games x entries of an observation, a mask or a state, but for the fewest games.
_LARGEST = 2**24
_AFTER_END = 2  # actions tried once all games have ended

T = TypeVar("T")


class View(NamedTuple):
    """What a game says of a state; of B states with a leading axis."""

    mask: chex.Array  # [A] bool
    observation: chex.Array  # [H, W, C] float32
    position: State  # the state without its move count


class Functions(NamedTuple):
    """The compiled functions; results are NumPy arrays."""

    init: Callable[[chex.PRNGKey], State]
    step: Callable[[State, chex.Array], State]
    look: Callable[[State], View]


@cache_programs
def batched(game: Game) -> Functions:
    """Returns the functions of B keys, states and actions, which compile when first called."""
    return _compile(game, jax.vmap)


@cache_programs
def single(game: Game) -> Functions:
    """Returns the functions of one key, state and action."""
    return _compile(game, lambda function: function)


def look(game: Game, state: State) -> View:
    """Returns what the game says of a state; it is to be traced."""
    views = []
    for name in VIEWS:
        with calling(game, name, PURE):
            views.append(uncompiled(game, name)(state))
    return View(*views)


def _compile(game: Game, transform: Callable[[Callable], Callable]) -> Functions:
    """Returns the compiled functions; what they raise names the game's method."""

    def compile_method(name: str, function: Callable) -> Callable:
        compiled = jax.jit(transform(function))

        def call(*arguments):
            with calling(game, name, PURE):
                return jax.device_get(compiled(*arguments))

        return call

    return Functions(
        init=compile_method("init", uncompiled(game, "init")),
        step=compile_method("step", uncompiled(game, "step")),
        look=compile_method(" or ".join(VIEWS), functools.partial(look, game)),
    )


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
        return ~self.states.terminated[:-1]

    def require(
        self, law: Law, holds: np.ndarray, found: Text, right: Text, *, of_move: bool = False
    ) -> None:
        """Raises the error of a law that does not hold, [T + 1, B] of states or [T, B] of moves."""
        actions = self.actions if of_move else None
        require(self.game, law, holds, found, right, self.states, actions)


def play_randomly(game: Game, num_games: int, seed: int) -> Playout:
    """Plays games to their ends, or to `max_moves`, and then a few actions more.

    The number of games is `most_games` if that is less; the seed is of starts and moves.
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
    return Playout(game, stack(states), stack(views), np.stack(actions))


def most_games(game: Game) -> int:
    """Returns the number of games that do not take too much memory."""
    of_state = sum(x.size for x in jax.tree.leaves(jax.eval_shape(game.init, jax.random.key(0))))
    widest = max(game.num_actions, math.prod(game.observation_shape), of_state)
    return max(_FEWEST_GAMES, _LARGEST // (game.max_moves * widest))


def slice_of(tree: T, index: Any) -> T:
    """Returns the tree of all leaves at an index, which is anything that NumPy takes."""
    return jax.tree.map(lambda leaf: leaf[index], tree)


def equal_leaves(one: chex.ArrayTree, other: chex.ArrayTree, num_axes: int) -> np.ndarray:
    """Returns bool, of the first axes of all leaves: whether two batches of trees are equal."""
    equal = [
        (x == y).reshape(*x.shape[:num_axes], -1).all(axis=-1)
        for x, y in zip(jax.tree.leaves(one), jax.tree.leaves(other), strict=True)
    ]
    return np.all(equal, axis=0)


def stack(trees: list[T]) -> T:
    """Returns the tree of stacked leaves."""
    return jax.tree.map(lambda *leaves: np.stack(leaves), *trees)
