"""Laws of the interface: sizes, shapes and dtypes, permutations of symmetries, and notation."""

import dataclasses
import itertools
import operator
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from azjax.games.game import Game, State
from azjax.games.laws.law import BrokenLawError, Law, calling, require
from azjax.games.laws.playout import PURE, Playout, look, slice_of
from azjax.games.state_text import field_name

_FIELDS = {"current_player": "int8[]", "terminated": "bool[]", "rewards": "int8[2]"}
_WEAK = " of weak type"
_DECLARE = "properties that return constants"
_NUM_STATES = 6  # that are written and read
_OTHER_TEXTS = ("", "?", "no such text")
_ONE_LINE = "a ValueError whose message is one line that says what would be right"


def check_interface(game: Game) -> None:
    """Raises BrokenLawError unless the object, its sizes, shapes and symmetries obey the laws."""
    check_static(game)
    _check_sizes(game)
    _check_shapes(game)
    _check_symmetries(game)


def check_static(game: Game) -> None:
    """Raises BrokenLawError unless the game is hashable, and equal to its copy."""
    right = "@dataclasses.dataclass(frozen=True), with numbers, strings and tuples as fields"
    options = getattr(game, "__dataclass_params__", None)
    is_frozen = options is not None and options.frozen
    require(game, Law.STATIC, is_frozen, f"{type(game).__name__} is no frozen dataclass", right)
    try:
        hash(game)
        copy: Any = dataclasses.replace(game)  # type: ignore[type-var]
        is_equal = copy == game and hash(copy) == hash(game)
    except Exception as error:
        found = f"hash or dataclasses.replace raises {type(error).__name__}: {error}"
        raise BrokenLawError(game, Law.STATIC, found, right) from error
    require(game, Law.STATIC, is_equal, "its copy differs from it", right)


def _check_sizes(game: Game) -> None:
    has_name = isinstance(getattr(game, "name", None), str)
    require(game, Law.SIZES, has_name, "it has no name", "a field `name: str`")
    declared = {}
    for name in ("version", "num_actions", "max_moves", "observation_shape"):
        with calling(game, name, _DECLARE):
            declared[name] = getattr(game, name)
    shape = declared.pop("observation_shape")
    for name, size in declared.items():
        require(game, Law.SIZES, _is_size(size), f"{name} is {size!r}", "an int from 1")
    is_shape = isinstance(shape, tuple) and len(shape) == 3 and all(map(_is_size, shape))
    right = "a tuple of height, width and planes, such as (3, 3, 2)"
    require(game, Law.SIZES, is_shape, f"observation_shape is {shape!r}", right)
    with calling(game, "max_positions", _DECLARE):
        bound = game.max_positions
        is_bound = bool(bound >= 1)
    require(game, Law.SIZES, is_bound, f"max_positions is {bound!r}", "a number, or math.inf")


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
    _check_same_types(game, Law.STRUCTURE, "step", start, after)
    view = jax.eval_shape(lambda state: look(game, state), start)
    _check_same_types(game, Law.STRUCTURE, "without_move_count", start, view.position)
    shape = ",".join(map(str, game.observation_shape))
    for law, method, value, right in (
        (Law.MASK, "legal_action_mask", view.mask, f"bool[{game.num_actions}]"),
        (Law.OBSERVATION, "observe", view.observation, f"float32[{shape}]"),
    ):
        found = _describe_type(value)
        require(game, law, found.removesuffix(_WEAK) == right, f"{method} returns {found}", right)


def _check_state(game: Game, start: State) -> None:
    names = getattr(start, "_fields", ())
    missing = ", ".join(name for name in _FIELDS if name not in names)
    found = f"init returns a {type(start).__name__} without {missing}"
    right = ", ".join(f"{name} {kind}" for name, kind in _FIELDS.items())
    require(game, Law.STATE, not missing, found, f"a NamedTuple with {right}")
    for name, kind in _FIELDS.items():
        found = _describe_type(getattr(start, name))
        require(game, Law.STATE, found == kind, f"{name} is {found}", f"{name} {kind}")
    for path, leaf in jax.tree.leaves_with_path(start):
        is_plain = jnp.issubdtype(leaf.dtype, np.number) or leaf.dtype == bool
        found = f"{field_name(path)} is {_describe_type(leaf)}"
        require(game, Law.STATE, is_plain, found, "arrays of numbers or of bool")


def _check_same_types(
    game: Game, law: Law, method: str, expected: Any, returned: Any, state: State | None = None
) -> None:
    """Checks that a method returns a state of the structure, shapes and dtypes of another."""
    found = f"{method} returns another structure, a {type(returned).__name__}"
    right = f"a {type(expected).__name__}, as init returns"
    structure: Any = jax.tree.structure(expected)
    require(game, law, structure == jax.tree.structure(returned), found, right, state)
    pairs = zip(jax.tree.leaves_with_path(expected), jax.tree.leaves(returned), strict=True)
    for (path, old), new in pairs:
        was, is_now = _describe_type(old), _describe_type(new)
        found = f"{field_name(path)} is {was} after init and {is_now} after {method}"
        require(game, law, was == is_now, found, "the same, by astype or jnp.int8(...)", state)


def _describe_type(leaf: Any) -> str:
    """Returns such as `int8[2]`; a weak type, as of Python's numbers, would trace twice."""
    size = ",".join(map(str, np.shape(leaf)))
    weak = _WEAK if getattr(leaf, "weak_type", False) else ""
    return f"{leaf.dtype}[{size}]{weak}"


def _check_symmetries(game: Game) -> None:
    """Checks that the symmetries are permutations, the identity first, and form a group."""
    with calling(game, "symmetries", "Symmetries of NumPy arrays, by make_symmetries"):
        cells, actions = (np.asarray(permutations) for permutations in game.symmetries)
    height, width, _ = game.observation_shape
    _check_permutations(game, "cells", cells, height * width)
    _check_permutations(game, "actions", actions, game.num_actions)
    known = {symmetry.tobytes() for symmetry in np.concatenate([cells, actions], axis=1)}
    is_each_once = len(known) == len(cells)
    require(game, Law.SYMMETRIES, is_each_once, "two are the same", "each symmetry once")
    for i, j in itertools.product(range(len(cells)), repeat=2):
        composed = np.concatenate([cells[i][cells[j]], actions[i][actions[j]]]).tobytes()
        found, right = f"{i} after {j} is none of them", "all compositions, as of a group"
        require(game, Law.SYMMETRIES, composed in known, found, right)


def _check_permutations(game: Game, name: str, permutations: np.ndarray, size: int) -> None:
    num_symmetries, identity = len(game.symmetries.cells), list(range(size))
    is_table = permutations.ndim == 2 and len(permutations) == num_symmetries
    found = f"{name} has the shape {permutations.shape}"
    right = f"int32[{num_symmetries},{size}], each row the numbers 0 to {size - 1}"
    require(game, Law.SYMMETRIES, is_table, found, right)
    for i, permutation in enumerate(permutations):
        is_permutation = sorted(permutation.tolist()) == identity
        require(game, Law.SYMMETRIES, is_permutation, f"{name}[{i}] is no permutation", right)
    is_first = permutations[0].tolist() == identity
    require(game, Law.SYMMETRIES, is_first, f"{name}[0] is not the identity", "0, 1, 2, ...")


def check_notation(play: Playout) -> None:
    """Raises BrokenLawError unless notation obeys the laws: all actions, and some states."""
    _check_actions_as_text(play.game)
    num_moves, num_games = play.actions.shape
    for i in range(_NUM_STATES):
        index = i * num_moves // (_NUM_STATES - 1), i % num_games
        _check_state_as_text(play.game, slice_of(play.states, index))
    _check_other_text(play.game)


def _check_actions_as_text(game: Game) -> None:
    words: dict[str, int] = {}
    for action in range(game.num_actions):
        with calling(game, "format_action", "a word for every action"):
            word = game.format_action(action)
        is_word = isinstance(word, str) and word.split() == [word]
        found = f"format_action({action}) is {word!r}"
        require(game, Law.ACTION_TEXT, is_word, found, "a word without spaces")
        other = words.setdefault(word, action)
        found = f"actions {other} and {action} are both {word!r}"
        require(game, Law.ACTION_TEXT, other == action, found, "two words")
    for word, action in words.items():
        with calling(game, "parse_action", "the action of what format_action wrote"):
            parsed = game.parse_action(word)
        found = f"parse_action({word!r}) is {parsed!r}"
        require(game, Law.ACTION_TEXT, parsed == action, found, str(action))


def _check_state_as_text(game: Game, state: State) -> None:
    with calling(game, "format_state", "a line for every state"):
        line = game.format_state(state)
    is_line = isinstance(line, str) and len(line.splitlines()) == 1
    require(game, Law.STATE_TEXT, is_line, f"format_state gives {line!r}", "one line")
    with calling(game, "parse_state", "the state of what format_state wrote", state):
        parsed: Any = jax.tree.map(jnp.asarray, game.parse_state(line))
    _check_same_types(game, Law.STATE_TEXT, "parse_state", state, parsed, state)
    for (path, old), new in zip(
        jax.tree.leaves_with_path(state), jax.tree.leaves(parsed), strict=True
    ):
        found = f"it parses {field_name(path)} as {new.tolist()}, not {old.tolist()}"
        right = "the state that was written, a finished one too"
        require(game, Law.STATE_TEXT, not (old != new).any(), found, right, state)
    with calling(game, "render", "lines of text", state):
        game.render(state)


def _check_other_text(game: Game) -> None:
    for text in _OTHER_TEXTS:
        _check_refused(game, "parse_action", game.parse_action, text)
        _check_refused(game, "parse_state", game.parse_state, text)
    _check_refused(game, "parse_moves", game.parse_moves, "?")
    with calling(game, "parse_moves", "an empty list for an empty text"):
        moves: Sequence[int] = game.parse_moves("")
    found = f"parse_moves('') is {list(moves)}"
    require(game, Law.OTHER_TEXT, not list(moves), found, "an empty list")


def _check_refused(game: Game, name: str, parse: Callable[[str], Any], text: str) -> None:
    call = f"{name}({text!r})"
    cause: Exception | None = None
    try:
        found = f"{call} is {parse(text)!r}"
    except ValueError as error:
        if len(str(error).splitlines()) == 1:
            return
        cause, found = error, f"the message of {call} is {str(error)!r}"
    except Exception as error:
        cause, found = error, f"{call} raises {type(error).__name__}: {error}"
    raise BrokenLawError(game, Law.OTHER_TEXT, found, _ONE_LINE) from cause
