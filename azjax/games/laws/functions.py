"""A game's functions, compiled for many states at once or for one."""

import functools
from collections.abc import Callable
from typing import NamedTuple

import chex
import jax

from azjax.games.compiled_methods import uncompiled
from azjax.games.game import Game, State
from azjax.games.laws.law import calling
from azjax.support.program_cache import cache_programs

PURE = "a pure function in jax.numpy: no `if` on arrays, and no array kept from call to call"
_VIEWS = "legal_action_mask, observe or without_move_count"


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
    for name in ("legal_action_mask", "observe", "without_move_count"):
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
        look=compile_method(_VIEWS, functools.partial(look, game)),
    )
