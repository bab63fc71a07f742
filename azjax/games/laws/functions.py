"""A game's functions, compiled for many states at once or for one."""

import functools
from collections.abc import Callable
from typing import NamedTuple

import chex
import jax

from azjax.games.game import Game, State
from azjax.games.laws.law import calling

PURE = "a pure function of arrays, by jax.numpy: jnp.where for `if`, no Python numbers of arrays"


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


@functools.cache
def batched(game: Game) -> Functions:
    """Returns the functions of B keys, states and actions, which compile when first called."""
    return Functions(*(_compile(jax.vmap(function)) for function in _traced(game)))


@functools.cache
def single(game: Game) -> Functions:
    """Returns the functions of one key, state and action."""
    return Functions(*(_compile(function) for function in _traced(game)))


def look(game: Game, state: State) -> View:
    """Returns what the game says of a state; it is to be traced."""
    with calling(game, "legal_action_mask", PURE):
        mask = game.legal_action_mask(state)
    with calling(game, "observe", PURE):
        observation = game.observe(state)
    with calling(game, "without_move_count", PURE):
        position = game.without_move_count(state)
    return View(mask, observation, position)


def _traced(game: Game) -> Functions:
    def init(key):
        with calling(game, "init", PURE):
            return game.init(key)

    def step(state, action):
        with calling(game, "step", PURE):
            return game.step(state, action)

    return Functions(init, step, functools.partial(look, game))


def _compile(function: Callable) -> Callable:
    jitted = jax.jit(function)
    return lambda *arguments: jax.device_get(jitted(*arguments))
