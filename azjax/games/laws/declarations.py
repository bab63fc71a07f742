"""Laws of what a game declares: its sizes, and the shapes and dtypes that its methods return."""

import dataclasses
import operator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from azjax.games.game import Game, State
from azjax.games.laws.functions import PURE, look
from azjax.games.laws.law import Law, broken, calling

_FIELDS = {"current_player": "int8[]", "terminated": "bool[]", "rewards": "int8[2]"}
_WEAK = " of weak type"
_DECLARE = "properties that return constants"


def check_declarations(game: Game) -> None:
    """Checks the laws that need no play: of the object, its sizes, and the shapes of all values.

    Raises:
      BrokenLawError: A law is broken.
    """
    check_static(game)
    _check_sizes(game)
    _check_shapes(game)


def check_static(game: Game) -> None:
    """Checks that the game is hashable, and equal to its copy.

    Raises:
      BrokenLawError: The law is broken.
    """
    right = "@dataclasses.dataclass(frozen=True), with numbers, strings and tuples as fields"
    options = getattr(game, "__dataclass_params__", None)
    if options is None or not options.frozen:
        found = f"{type(game).__name__} is no frozen dataclass"
        raise broken(game, Law.STATIC, found, right)
    try:
        hash(game)
        copy: Any = dataclasses.replace(game)  # type: ignore[type-var]
        is_equal = copy == game and hash(copy) == hash(game)
    except Exception as error:
        found = f"hash or dataclasses.replace raises {type(error).__name__}: {error}"
        raise broken(game, Law.STATIC, found, right) from error
    if not is_equal:
        raise broken(game, Law.STATIC, "its copy differs from it", right)


def _check_sizes(game: Game) -> None:
    if not isinstance(getattr(game, "name", None), str):
        raise broken(game, Law.SIZES, "it has no name", "a field `name: str`")
    for size in ("version", "num_actions", "max_moves"):
        with calling(game, size, _DECLARE):
            value = getattr(game, size)
        if not _is_size(value):
            raise broken(game, Law.SIZES, f"{size} is {value!r}", "an int from 1")
    with calling(game, "observation_shape", _DECLARE):
        shape = game.observation_shape
    if not (isinstance(shape, tuple) and len(shape) == 3 and all(map(_is_size, shape))):
        right = "a tuple of height, width and planes, such as (3, 3, 2)"
        raise broken(game, Law.SIZES, f"observation_shape is {shape!r}", right)
    with calling(game, "max_positions", _DECLARE):
        bound = game.max_positions
        is_bound = bool(bound >= 1)
    if not is_bound:
        raise broken(game, Law.SIZES, f"max_positions is {bound!r}", "a number, or math.inf")


def _is_size(value: Any) -> bool:
    try:
        return operator.index(value) >= 1
    except TypeError:
        return False


def _check_shapes(game: Game) -> None:
    with calling(game, "init", PURE):
        start = jax.eval_shape(game.init, jax.random.key(0))
    _check_state(game, start)
    with calling(game, "step", PURE):
        after = jax.eval_shape(game.step, start, jax.ShapeDtypeStruct((), np.int32))
    _check_same_structure(game, "step", start, after)
    view = jax.eval_shape(lambda state: look(game, state), start)
    _check_same_structure(game, "without_move_count", start, view.position)
    for law, method, value, right in (
        (Law.MASK, "legal_action_mask", view.mask, f"bool[{game.num_actions}]"),
        (Law.OBSERVATION, "observe", view.observation, _float32(game.observation_shape)),
    ):
        found = describe_type(value)
        if found.removesuffix(_WEAK) != right:
            raise broken(game, law, f"{method} returns {found}", right)


def _check_state(game: Game, start: State) -> None:
    right = ", ".join(f"{name} {kind}" for name, kind in _FIELDS.items())
    names = getattr(start, "_fields", ())
    if missing := [name for name in _FIELDS if name not in names]:
        found = f"init returns a {type(start).__name__} without {', '.join(missing)}"
        raise broken(game, Law.STATE, found, f"a NamedTuple with {right}")
    for name, kind in _FIELDS.items():
        found = describe_type(getattr(start, name))
        if found != kind:
            raise broken(game, Law.STATE, f"{name} is {found}", f"{name} {kind}")
    for path, leaf in jax.tree.leaves_with_path(start):
        if not (jnp.issubdtype(leaf.dtype, np.number) or leaf.dtype == bool):
            found = f"{_name(path)} is {describe_type(leaf)}"
            raise broken(game, Law.STATE, found, "arrays of numbers or of bool")


def _check_same_structure(game: Game, method: str, start: State, after: State) -> None:
    if not same_structure(start, after):
        found = f"{method} returns another structure, a {type(after).__name__}"
        raise broken(game, Law.STRUCTURE, found, f"a {type(start).__name__}, as init returns")
    pairs = zip(jax.tree.leaves_with_path(start), jax.tree.leaves(after), strict=True)
    for (path, old), new in pairs:
        was, found = describe_type(old), describe_type(new)
        if found != was:
            found = f"{_name(path)} is {was} after init and {found} after {method}"
            raise broken(game, Law.STRUCTURE, found, "the same, by astype or jnp.int8(...)")


def same_structure(one: Any, other: Any) -> bool:
    """Tells whether two states have the same fields, and are of the same type."""
    structure: Any = jax.tree.structure(one)
    return structure == jax.tree.structure(other)


def describe_type(leaf: Any) -> str:
    """Returns such as `int8[2]`; a weak type, that of Python's numbers, would trace twice."""
    size = ",".join(map(str, np.shape(leaf)))
    weak = _WEAK if getattr(leaf, "weak_type", False) else ""
    return f"{leaf.dtype}[{size}]{weak}"


def _float32(shape: tuple[int, ...]) -> str:
    return f"float32[{','.join(map(str, shape))}]"


def _name(path: jax.tree_util.KeyPath) -> str:
    return jax.tree_util.keystr(path, simple=True, separator=".")
