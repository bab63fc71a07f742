"""Checks of what the functions of plug-ins return, while JAX traces them."""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from azjax.support.errors import InputError


class Shaped(NamedTuple):
    """An array of a shape, and of a kind of types, such as `jnp.floating`."""

    shape: tuple[int, ...]
    kind: Any


def check_returned(name: str, value: Any, expected: Any) -> None:
    """Checks what a function returns.

    Args:
      name: What it is in the message, such as `result of search 'mine'`.
      value: What is returned.
      expected: A type, or a Shaped, or a list of these: what a tuple begins with.

    Raises:
      InputError: It is something else.
    """
    try:
        array = jax.typeof(value)  # traced or not
    except TypeError:
        array = None
    parts = expected if isinstance(expected, list) else []
    if parts:
        holds = isinstance(value, tuple | list) and len(value) >= len(parts)
        wanted = f"a tuple of {len(parts)}"
    elif isinstance(expected, Shaped):
        holds = getattr(array, "shape", None) == expected.shape
        holds = holds and jnp.issubdtype(array.dtype, expected.kind)
        wanted = f"an array {list(expected.shape)}, {expected.kind.__name__}"
    else:
        holds = isinstance(value, expected)
        wanted = f"of type {expected.__name__}"
    if not holds:
        kind = "None" if value is None else array or type(value).__name__
        raise InputError(f"{name} is {kind}: must be {wanted}")
    for index, part in enumerate(parts):
        check_returned(f"{name}[{index}]", value[index], part)
