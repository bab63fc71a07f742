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
    if isinstance(expected, list):
        holds = isinstance(value, tuple | list) and len(value) >= len(expected)
        wanted = f"a tuple of {len(expected)}"
    elif isinstance(expected, Shaped):
        found = _array_type(value)
        holds = (
            found is not None
            and found.shape == expected.shape
            and jnp.issubdtype(found.dtype, expected.kind)
        )
        wanted = f"an array {list(expected.shape)}, {expected.kind.__name__}"
    else:
        holds = isinstance(value, expected)
        wanted = f"of type {expected.__name__}"
    if not holds:
        kind = _array_type(value) or type(value).__name__
        raise InputError(f"{name} is {'None' if value is None else kind}: must be {wanted}")
    if isinstance(expected, list):
        for index, (part, kind) in enumerate(zip(value, expected, strict=False)):
            check_returned(f"{name}[{index}]", part, kind)


def _array_type(value: Any) -> Any:
    """Returns the shape and the dtype of an array, traced or not; None of anything else."""
    try:
        return jax.typeof(value)
    except TypeError:
        return None
