"""Text of any state: its fields by name, as in `heaps=1,3,5 current_player=0`."""

import math
from typing import TypeVar

import chex
import jax
import jax.numpy as jnp
import numpy as np

StateT = TypeVar("StateT")

OMITTED_WHERE_ZERO = ("terminated", "rewards")


def format_fields(state: chex.ArrayTree) -> str:
    """Returns the fields, a word each; `terminated` and `rewards` only where they are not zero.

    Numbers are joined by `,`, and the rows of an array by `/`; True is 1 and False is 0.
    """
    words = []
    for path, leaf in jax.tree.leaves_with_path(state):
        name, entries = field_name(path), np.asarray(leaf)
        if entries.any() or name not in OMITTED_WHERE_ZERO:
            words.append(f"{name}={_format_entries(entries)}")
    return " ".join(words)


def parse_fields(text: str, start: StateT) -> StateT:
    """Returns the state that `format_fields` wrote.

    Args:
      text: The fields.
      start: A state of the same structure, or the shapes and dtypes of one.

    Raises:
      ValueError: A field is missing, unknown or malformed; the message, which names it, is to
        follow the position.
    """
    given: dict[str, str] = {}
    for word in text.split():
        name, _, value = word.partition("=")
        if name in given:
            raise ValueError(f"has the field {name!r} twice")
        given[name] = value
    paths, structure = jax.tree.flatten_with_path(start)
    names = [field_name(path) for path, _ in paths]
    for name in given:
        if name not in names:
            raise ValueError(f"has an unknown field, {name!r}")
    for name in names:
        if name not in given and name not in OMITTED_WHERE_ZERO:
            raise ValueError(f"has no field {name!r}")
    leaves = [
        _parse_entries(name, given[name], leaf) if name in given else jnp.zeros_like(leaf)
        for name, (_, leaf) in zip(names, paths, strict=True)
    ]
    return jax.tree.unflatten(structure, leaves)


def check_players(current_player: chex.Array, rewards: chex.Array) -> None:
    """Raises ValueError, as `parse_fields` does, unless player and rewards are of two players."""
    player, numbers = int(current_player), np.asarray(rewards).tolist()
    if player not in (0, 1):
        raise ValueError(f"has {player} as its 'current_player', not 0 or 1")
    if sum(numbers) != 0 or not -1 <= numbers[0] <= 1:
        raise ValueError(f"has {numbers} as its 'rewards', which are no result")


def field_name(path: jax.tree_util.KeyPath) -> str:
    """Returns the name of a leaf of a state, such as `heaps` or `_x.board`."""
    return jax.tree_util.keystr(path, simple=True, separator=".")


def _format_entries(entries: np.ndarray) -> str:
    numbers = entries.astype(np.int8) if entries.dtype == bool else entries
    *outer, width = entries.shape or (1,)
    rows = numbers.reshape(math.prod(outer), width)
    return "/".join(",".join(str(number) for number in row) for row in rows)


def _parse_entries(name: str, text: str, like: chex.Array) -> chex.Array:
    words = text.replace("/", ",").split(",") if text else []
    number = float if jnp.issubdtype(like.dtype, jnp.floating) else int
    dtype = np.int8 if like.dtype == bool else like.dtype
    try:
        entries = np.array([number(word) for word in words], dtype).reshape(like.shape)
    except (ValueError, OverflowError):
        expected = f"{math.prod(like.shape)} of {like.dtype}"
        raise ValueError(f"has {text!r} as its {name!r}, not {expected}") from None
    return jnp.asarray(entries, like.dtype)
